policy "old" {
  match   = { operation = "a" }
  action  = "allow"
  expires = "2030-06-01T11:59:59Z"
}

policy "new" {
  match  = { operation = "a" }
  action = "deny"
}

policy "last_moment" {
  match   = { operation = "a" }
  action  = "ask"
  expires = "2030-06-01T12:00:00Z"
}
