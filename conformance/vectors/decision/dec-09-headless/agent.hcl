policy "reads" {
  match  = { operation = "read_secret" }
  action = "ask"
}

agent_profile "worker" {
  headless = true
}

agent_profile "person" {
  headless = false
}

agent_profile "plain" {}
