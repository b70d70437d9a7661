agent_profile "worker" {
  allowed_tools = ["write"]
}

policy "maybe" {
  match  = { operation = "write", risk = "critical" }
  action = "deny"
}
