defaults {
  resource = "allow"
}

policy "denied" {
  match   = { operation = "bash" }
  command = ["rm"]
  action  = "deny"
}
