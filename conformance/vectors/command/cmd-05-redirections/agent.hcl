policy "allowed" {
  match   = { operation = "bash" }
  command = ["echo", "cat"]
  action  = "allow"
}
