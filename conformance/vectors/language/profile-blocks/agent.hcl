agent_profile "a" {
  deny_tools {
    bash = true
  }
}
