agent_profile "a" {
  allowed          = ["x"]
  Deny             = ["y"]
  escalation       = []
  deny_tools_extra = ["z"]
  tools            = ["q"]
}
