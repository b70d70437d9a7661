policy "high" {
  match  = { risk = "high", kind = "resource" }
  action = "deny"
}
