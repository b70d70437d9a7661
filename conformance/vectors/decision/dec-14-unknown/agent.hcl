policy "everything" {
  match  = {}
  action = "allow"
}

policy "maybe" {
  match   = { operation = "deploy", risk = "high" }
  action  = "deny"
  expires = "2030-06-01T12:00:00Z"
  when    = input.force == true
}

policy "sure" {
  match  = { operation = "wipe" }
  action = "deny"
}

guard "maybe_too" {
  match  = { operation = "wipe", risk = "high" }
  action = "deny"
}

agent_profile "worker" {}
