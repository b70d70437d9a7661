policy "no_critical" {
  match  = { risk = "critical" }
  action = "deny"
}

policy "low" {
  match  = { risk = "low" }
  action = "allow"
}
