policy "one" {
  match  = { operation = "x" }
  action = "deny"
}
