policy "allowed" {
  match  = { operation = "write" }
  path   = ["src/**", "~/notes/*"]
  action = "allow"
}
