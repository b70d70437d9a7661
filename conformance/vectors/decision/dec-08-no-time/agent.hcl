policy "deploys" {
  match   = { operation = "deploy" }
  action  = "allow"
  expires = "2030-06-01T12:00:00Z"
}

policy "migrations" {
  match  = { operation = "migrate" }
  action = "allow"
}

policy "freeze" {
  match   = { operation = "migrate", risk = "high" }
  action  = "deny"
  expires = "2030-06-01T12:00:00Z"
}

policy "scale" {
  match  = { operation = "scale" }
  action = "allow"
}

guard "no_scaling" {
  match   = { operation = "scale" }
  action  = "deny"
  expires = "2030-06-01T12:00:00Z"
}
