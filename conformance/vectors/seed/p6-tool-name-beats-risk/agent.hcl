policy "no_critical" {
  match  = { risk = "critical" }
  action = "deny"
}

policy "let_spawn" {
  match  = { tool_name = "spawn_subagent" }
  action = "allow"
}
