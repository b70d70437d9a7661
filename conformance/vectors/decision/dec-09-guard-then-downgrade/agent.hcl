policy "reads" {
  match  = { kind = "data_source" }
  action = "allow"
}

guard "secrets" {
  match  = { provider = "vault" }
  action = "ask"
}

agent_profile "worker" {
  headless = true
}
