agent_profile "worker" {
  allowed_tools = ["read", "write", "bash"]
}
