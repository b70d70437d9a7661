agent_profile "worker" {
  deny_tools = ["clean"]
}

defaults {
  resource = "deny"
}

guard "prod" {
  match  = { operation = "*_prod" }
  action = "deny"
}

policy "force" {
  match  = { operation = "push", risk = "critical" }
  action = "deny"
}

policy "push" {
  match  = { operation = "push" }
  action = "ask"
}

policy "allow_git" {
  match  = { provider = "git" }
  action = "allow"
}
