policy "moderate" {
  match  = { risk = "moderate", kind = "resource" }
  action = "allow"
}
