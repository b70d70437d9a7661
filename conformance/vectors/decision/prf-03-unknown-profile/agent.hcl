agent_profile "worker" {
  deny_tools = ["bash"]
}

policy "bash" {
  match  = { operation = "bash" }
  action = "allow"
}

policy "wipe" {
  match  = { operation = "wipe" }
  action = "deny"
}

policy "listed" {
  match    = { operation = "plan" }
  profiles = ["planner"]
  action   = "allow"
}

guard "guarded" {
  match    = { operation = "plan" }
  profiles = ["watched"]
  action   = "ask"
}
