policy "allowed" {
  match   = { operation = "bash" }
  command = ["git diff", "sort", "sed -n", "find", "=git diff --output=out"]
  action  = "allow"
}
