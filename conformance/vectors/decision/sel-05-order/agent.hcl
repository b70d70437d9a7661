policy "allow_git" {
  match  = { provider = "git" }
  action = "allow"
}

policy "push" {
  match  = { operation = "push" }
  action = "ask"
}

policy "force" {
  match  = { operation = "push", risk = "critical" }
  action = "deny"
}

guard "prod" {
  match  = { operation = "*_prod" }
  action = "deny"
}

defaults {
  resource = "deny"
}

agent_profile "worker" {
  deny_tools = ["clean"]
}
