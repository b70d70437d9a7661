agent_profile "worker" {
  deny_tools = ["bash"]
}

policy "writes" {
  match  = { operation = "write" }
  action = "allow"
}
