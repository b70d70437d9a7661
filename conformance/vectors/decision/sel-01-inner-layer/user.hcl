policy "u" {
  match  = { operation = ["b", "c"] }
  action = "deny"
}
