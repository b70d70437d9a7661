policy "one" {
  match    = { operation = "a" }
  profiles = ["worker", "helper"]
  action   = "allow"
}

policy "two" {
  match    = { operation = "a" }
  profiles = ["reviewer", "helper"]
  action   = "deny"
}
