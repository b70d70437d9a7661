policy "allowed" {
  match  = { operation = "write" }
  path   = ["src/**"]
  action = "allow"
}
