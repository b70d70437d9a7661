policy "a" {
  match  = { operation = "x" }
  action = "deny"
}

guard "a" {
  action = "deny"
}

agent_profile "a" {
}

guard "A" {
  action = "ask"
}

agent_profile "a" {
}
