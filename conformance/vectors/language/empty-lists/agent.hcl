agent_profile "a" {
  allowed_tools = []
}

policy "p" {
  match    = { operation = "x" }
  profiles = []
  action   = "deny"
}
