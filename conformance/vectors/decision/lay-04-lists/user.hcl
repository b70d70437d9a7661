agent_profile "worker" {
  allowed_tools = ["read", "write", "edit"]
}

policy "edits" {
  match  = { operation = "edit" }
  action = "allow"
}
