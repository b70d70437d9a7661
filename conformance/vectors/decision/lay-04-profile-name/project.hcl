agent_profile "ghost" {
}

policy "listed" {
  match    = { operation = "plan" }
  profiles = ["phantom"]
  action   = "ask"
}
