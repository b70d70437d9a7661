agent_profile "a" {
  allowed_tools = ["read"]
}

agent_profile "b" {
  allowed_tools = ["read"]
}
