policy "operation" {
  match  = { operation = "a" }
  action = "allow"
}

policy "all_but_operation" {
  match  = { provider = "p", risk = "high", kind = "resource" }
  action = "deny"
}

policy "provider" {
  match  = { provider = "q" }
  action = "allow"
}

policy "risk_and_kind" {
  match  = { risk = "low", kind = "resource" }
  action = "deny"
}

policy "risk" {
  match  = { risk = "moderate" }
  action = "deny"
}

policy "kind" {
  match  = { kind = "resource" }
  action = "allow"
}
