defaults {
  resource = "allow"
}

policy "denied" {
  match   = { operation = "bash" }
  command = ["rm", "sudo"]
  action  = "deny"
}
