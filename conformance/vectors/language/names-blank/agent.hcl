guard "ㅤ" {
  action = "deny"
}

guard "a\u034f" {
  action = "deny"
}
