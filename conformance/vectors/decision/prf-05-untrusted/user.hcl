agent_profile "w" {
  grants = ["git-commit"]
}

agent_profile "x" {
  deny_tools = ["Bash"]
}

guard "rebases" {
  command = ["git rebase"]
  action  = "ask"
}
