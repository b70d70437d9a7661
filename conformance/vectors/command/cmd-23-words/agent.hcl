defaults {
  resource = "allow"
}

policy "denied" {
  match   = { operation = "exec" }
  command = ["rm"]
  action  = "deny"
}
