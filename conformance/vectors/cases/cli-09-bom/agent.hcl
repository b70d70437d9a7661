policy "a" {
  match  = { operation = "x" }
  action = "deny"
}
