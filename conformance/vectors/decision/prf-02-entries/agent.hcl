agent_profile "worker" {
  deny_tools = ["bash", "mcp__db__drop"]
}
