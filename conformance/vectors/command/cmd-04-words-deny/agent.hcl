defaults {
  resource = "allow"
}

policy "denied" {
  match   = { operation = "bash" }
  command = ["rm", "cp $HOME"]
  action  = "deny"
}
