decision_hook {
  command = ["decide"]
}

policy "hooked" {
  match  = { operation = "deploy" }
  action = "hook"
}

agent_profile "worker" {
  headless = true
}
