agent_profile "a" {
  grants            = ["git-push", "git-fetch"]
  escalation_grants = ["Git-Push"]
}

policy "p" {
  match  = { operation = "Bash" }
  grant  = "git-merge"
  action = "allow"
}
