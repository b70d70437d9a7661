policy "a" {
  match  = { operation = ["x", "y", "x"] }
  action = "deny"
}
