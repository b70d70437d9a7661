defaults {
  resource = "allow"
}

policy "denied" {
  match   = { operation = ["bash", "sh", "zsh", "cmd"] }
  command = ["rm"]
  action  = "deny"
}
