agent_profile "worker" {
  allowed_tools = ["read"]
  grants        = ["git-commit", "git-rebase", "git-push"]
}

agent_profile "unbounded" {
  grants = ["git-push"]
}
