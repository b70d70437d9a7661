policy "all" {
  match  = {}
  action = "allow"
}

policy "none" {
  match  = { operation = "deny" }
  action = "deny"
}

guard "mine" {
  command = ["touch"]
  action  = "ask"
}

agent_profile "headless" {
  headless = true
}
