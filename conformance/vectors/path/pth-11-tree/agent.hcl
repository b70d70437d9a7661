defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "bash" }
  path   = ["sub/secret", "~/.ssh/**"]
  action = "deny"
}
