agent_profile "agent" {
  grants = ["git-commit", "git-rebase", "git-push"]
}
