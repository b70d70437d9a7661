policy "hooked" {
  match  = { operation = "deploy" }
  action = "hook"
}

policy "allowed" {
  match  = { operation = "build" }
  action = "allow"
}

policy "denied" {
  match  = { operation = "destroy" }
  action = "deny"
}

guard "careful" {
  match  = { risk = "high" }
  action = "ask"
}
