policy "a" {
  match  = { provider = "a" }
  action = "allow"
}

policy "everything_else" {
  match  = {}
  action = "allow"
}

policy "refused" {
  match  = { kind = "resource", risk = "critical" }
  action = "deny"
}
