policy "allowed" {
  match   = { operation = "bash" }
  command = ["python3", "=python3 -c pass"]
  action  = "allow"
}
