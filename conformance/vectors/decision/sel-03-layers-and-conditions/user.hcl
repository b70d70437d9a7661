policy "u" {
  match  = { operation = "a" }
  action = "allow"
}
