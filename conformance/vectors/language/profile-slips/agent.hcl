agent_profile "a" {
  deny_tool = ["bash"]
  headles   = true
}
