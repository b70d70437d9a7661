agent_profile "worker" {
  headless      = true
  deny_tools    = ["write", "bash"]
}

policy "reads" {
  match  = { operation = "read" }
  action = "ask"
}
