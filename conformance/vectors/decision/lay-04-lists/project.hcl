agent_profile "worker" {
  headless      = true
  allowed_tools = ["write", "edit"]
  deny_tools    = ["bash"]
}
