policy "write" {
  match  = { operation = "write" }
  action = "deny"
}

policy "fs" {
  match  = { provider = "fs" }
  action = "allow"
}

policy "exact" {
  match  = { operation = "plan", provider = "fs", risk = "low", kind = "resource" }
  action = "allow"
}
