agent_profile "a" {
  model      = "large"
  max_turns  = 200
  deny_tools = ["bash"]

  sandbox {
    network = false
  }
}
