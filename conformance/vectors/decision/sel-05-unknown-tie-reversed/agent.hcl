policy "maybe" {
  match   = { operation = "a" }
  action  = "hook"
  expires = "2030-06-01T00:00:00Z"
}

policy "sure" {
  match  = { operation = "a" }
  action = "hook"
}
