policy "narrow_ask" {
  match  = { operation = "write", provider = "fs" }
  action = "ask"
}

policy "broad_deny" {
  match  = { operation = "write" }
  action = "deny"
}

policy "maybe" {
  match  = { operation = "edit", risk = "high" }
  action = "deny"
}
