policy "worker" {
  match    = { provider = "shell" }
  profiles = ["worker"]
  action   = "allow"
}

policy "bash" {
  match  = { operation = "bash" }
  action = "deny"
}
