policy "no_exec" {
  match  = { tool_name = "exec_command" }
  action = "deny"
}

guard "no_shell" {
  match  = { provider = "shel" }
  action = "deny"
}
