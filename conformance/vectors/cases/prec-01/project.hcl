guard "curl" {
  match  = { operation = "curl" }
  action = "deny"
}

policy "no_wget" {
  match  = { operation = "wget" }
  action = "deny"
}

agent_profile "worker" {
  deny_tools = ["ssh"]
}
