agent_profile "worker" {
  headless      = true
  allowed_tools = ["bash", "read", "write", "edit"]
  deny_tools    = ["bash"]
}
