agent_profile "worker" {
  allowed_tools = ["read"]
}

policy "bash" {
  match  = { operation = "bash" }
  action = "allow"
}
