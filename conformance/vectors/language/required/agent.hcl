policy "a" {
  action = "deny"
}

policy "b" {
  match = {}
}

guard "c" {
  match = {}
}
