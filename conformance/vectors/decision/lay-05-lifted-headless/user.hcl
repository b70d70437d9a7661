agent_profile "worker" {
  headless = true
}
