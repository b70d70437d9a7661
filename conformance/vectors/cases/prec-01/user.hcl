guard "rm" {
  match  = { operation = "rm" }
  action = "deny"
}

policy "no_format" {
  match  = { operation = "format" }
  action = "deny"
}

agent_profile "worker" {
  deny_tools = ["sudo"]
}
