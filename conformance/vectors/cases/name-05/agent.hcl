policy "all_mcp" {
  match  = { tool_name = "mcp__*" }
  action = "deny"
}

policy "server" {
  match  = { tool_name = "mcp__ctx" }
  action = "deny"
}

policy "server_tools" {
  match  = { tool_name = "mcp__ctx__*" }
  action = "deny"
}

guard "tool" {
  match  = { operation = ["bash", "mcp__ctx__resolve", "mcp_*"] }
  action = "deny"
}
