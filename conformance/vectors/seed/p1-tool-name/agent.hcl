policy "shell" {
  match  = { tool_name = "bash" }
  action = "deny"
}
