policy "allowed" {
  match   = { operation = "bash" }
  command = ["cat src", "ls ~/x"]
  action  = "allow"
}
