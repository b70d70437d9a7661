agent_profile "plain" {
  grants = ["git-commit"]
}

agent_profile "narrow" {
  grants            = ["git-rebase"]
  escalation_grants = ["git-commit", "git-push"]
}

agent_profile "none" {
  escalation_grants = []
}
