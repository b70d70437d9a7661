agent_profile "a" {
  headless      = "yes"
  allowed_tools = true
  deny_tools    = [1]
}
