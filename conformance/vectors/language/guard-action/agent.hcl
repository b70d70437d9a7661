guard "a" {
  action = "allow"
}

guard "b" {
  action = "hook"
}
