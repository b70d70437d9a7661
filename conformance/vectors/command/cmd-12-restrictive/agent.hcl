defaults {
  resource = "allow"
}

policy "denied" {
  match   = { operation = "bash" }
  command = ["git push --force", "rm -r", "git reset --hard", "curl -o"]
  action  = "deny"
}
