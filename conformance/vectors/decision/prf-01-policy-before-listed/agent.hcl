agent_profile "worker" {
  headless      = true
  allowed_tools = ["write", "edit", "wipe", "plan"]
}

policy "edits" {
  match  = { operation = "edit" }
  action = "ask"
}

policy "wipes" {
  match  = { operation = "wipe" }
  action = "deny"
}

policy "plans" {
  match  = { operation = "plan" }
  action = "allow"
}

defaults {
  resource    = "deny"
  data_source = "deny"
}
