policy "allowed" {
  match   = { operation = "bash" }
  command = ["git status", "=timeout 5 git log"]
  action  = "allow"
}
