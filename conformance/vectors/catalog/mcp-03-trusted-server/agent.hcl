policy "high" {
  match  = { risk = "high", kind = "resource" }
  action = "deny"
}

policy "moderate" {
  match  = { risk = "moderate", kind = "resource" }
  action = "allow"
}
