policy "one" {
  match  = { operation = "y" }
  action = "allow"
}

guard "g" {
  match  = { operation = "z" }
  action = "deny"
}

defaults {
  data_source = "deny"
}

agent_profile "worker" {
  deny_tools = ["b"]
}
