policy "one" {
  match  = { operation = "x" }
  action = "deny"
}

defaults {
  resource = "deny"
}

agent_profile "worker" {
  deny_tools = ["a"]
}
