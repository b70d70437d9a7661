agent_profile "worker" {
  headless = false
}
