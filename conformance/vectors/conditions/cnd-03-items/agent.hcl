policy "looks" {
  command = ["git status", "git log", "echo"]
  match   = { operation = ["bash", "exec"] }
  action  = "allow"
}

policy "pushes" {
  command = ["git push"]
  match   = { operation = ["bash", "exec"] }
  action  = "deny"
}
