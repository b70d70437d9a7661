policy "operation" {
  match  = { operation = "café" }
  action = "deny"
}

policy "provider" {
  match  = { provider = "café*" }
  action = "deny"
}

policy "profile" {
  match    = { operation = "plan" }
  profiles = ["café"]
  action   = "deny"
}

agent_profile "héo" {
  headless = true
}

agent_profile "héa" {
  headless = true
}
