policy "ctx" {
  match  = { provider = "ctx" }
  action = "deny"
}

policy "lookup" {
  match  = { operation = "lookup", provider = "other" }
  action = "allow"
}
