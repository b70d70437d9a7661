defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "bash" }
  path   = ["secret/**"]
  action = "deny"
}
