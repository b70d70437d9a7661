defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "bash" }
  path   = ["sub/key"]
  action = "deny"
}
