policy "first" {
  match  = { tool_name = "bash" }
  action = "allow"
}

policy "second" {
  match  = { operation = "bash" }
  action = "deny"
}

