agent_profile "a" {
  deny_tools_ = ["bash"]
  allowed_tools__ = ["bash"]
  headless___ = true
  headless_x = true
}
