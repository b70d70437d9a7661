policy "allowed" {
  match  = { operation = "bash" }
  path   = ["build", "out/**"]
  action = "allow"
}
