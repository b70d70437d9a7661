defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "bash" }
  path   = ["**/key.pem"]
  action = "deny"
}
