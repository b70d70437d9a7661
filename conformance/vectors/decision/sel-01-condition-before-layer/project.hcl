policy "shell" {
  match  = { operation = "bash" }
  action = "allow"
}
