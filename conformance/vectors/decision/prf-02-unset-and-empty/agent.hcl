agent_profile "unset" {
}

agent_profile "empty" {
  allowed_tools = []
}

agent_profile "no_denials" {
  deny_tools = []
  grants     = []
}

policy "writes" {
  match  = { operation = "write" }
  action = "allow"
}
