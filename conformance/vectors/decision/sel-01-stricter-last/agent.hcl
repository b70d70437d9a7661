policy "first" {
  match   = { operation = "a" }
  action  = "allow"
  expires = "2030-06-01T00:00:00Z"
}

policy "second" {
  match  = { operation = "a" }
  action = "ask"
}

policy "third" {
  match   = { operation = "a" }
  action  = "deny"
  expires = "2030-05-01T00:00:00Z"
}
