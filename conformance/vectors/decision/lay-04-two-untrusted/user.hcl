policy "deny_write" {
  match  = { operation = "write" }
  action = "deny"
}
