agent_profile "a" {
  allowed_tools = ["Read", "Bash(git *)", "mcp__ctx__*"]
  deny_tools    = ["mcp__ctx", "web fetch", "Ba*", "mcp__a__b__c", ""]
}
