agent_profile "a" {
  allowed_tools = []
}

agent_profile "b" {
}
