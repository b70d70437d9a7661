policy "a" {
  match  = { operation = ["mcp_*", "mcp*", "*mcp__ctx__*", "m*", "mcp_x*"] }
  action = "deny"
}
