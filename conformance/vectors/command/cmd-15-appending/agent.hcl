policy "allowed" {
  match   = { operation = "bash" }
  command = ["echo"]
  action  = "allow"
}

policy "denied" {
  match   = { operation = "bash" }
  command = ["rm"]
  action  = "deny"
}
