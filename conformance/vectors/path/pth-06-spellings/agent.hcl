defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "write" }
  path   = ["secret/**", "~/.ssh/**", "/nonexistent-other/**"]
  action = "deny"
}
