defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "write" }
  path   = ["secret/**"]
  action = "deny"
}
