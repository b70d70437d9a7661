policy "o" {
  match  = { operation = "a" }
  action = "allow"
}

policy "o_kind" {
  match  = { operation = "a", kind = "resource" }
  action = "deny"
}

policy "o_risk" {
  match  = { operation = "a", risk = "low" }
  action = "allow"
}

policy "o_provider" {
  match  = { operation = "a", provider = "p" }
  action = "ask"
}

policy "o_provider_risk_kind" {
  match  = { operation = "a", provider = "p", risk = "critical", kind = "resource" }
  action = "allow"
}
