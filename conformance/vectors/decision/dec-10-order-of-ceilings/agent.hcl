policy "everything" {
  match  = {}
  action = "allow"
}

policy "maybe" {
  match  = { risk = "high", kind = "resource" }
  action = "deny"
}

guard "careful" {
  match  = { kind = "resource" }
  action = "ask"
}

agent_profile "worker" {}
