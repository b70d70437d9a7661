policy "allowed" {
  match   = { operation = "bash" }
  command = ["git show", "=git fetch origin", "make build-*", "git * main"]
  action  = "allow"
}
