policy "bash" {
  match  = { operation = "bash" }
  action = "allow"
}
