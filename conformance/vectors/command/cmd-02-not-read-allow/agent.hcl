policy "allowed" {
  match   = { operation = "bash" }
  command = ["ls", "echo"]
  action  = "allow"
}
