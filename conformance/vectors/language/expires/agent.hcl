policy "a" {
  match   = { operation = "x" }
  action  = "deny"
  expires = "2030-01-01"
}

policy "b" {
  match   = { operation = "y" }
  action  = "deny"
  expires = 2030
}

policy "c" {
  match   = { operation = "z" }
  action  = "deny"
  expires = "2030-02-30T00:00:00Z"
}
