agent_profile "worker" {
  deny_tools = ["bash"]
}
