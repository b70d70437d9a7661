agent_profile "narrow" {
  escalation_grants = ["git-push", "git-rebase"]
}
