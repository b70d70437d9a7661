policy "allowed" {
  match   = { operation = "bash" }
  command = ["echo", "cat", "true"]
  action  = "allow"
}
