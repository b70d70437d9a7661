policy "low" {
  match  = { risk = "low", kind = "resource" }
  action = "allow"
}
