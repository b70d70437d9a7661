agent_profile "w" {
  grants            = ["git-push"]
  escalation_grants = ["git-rebase"]
}
