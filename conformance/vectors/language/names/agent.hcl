policy "" {
  match  = { operation = "x" }
  action = "deny"
}

guard "a​b" {
  action = "deny"
}

agent_profile {
}

policy "a" "b" {
  match  = { operation = "y" }
  action = "deny"
}
