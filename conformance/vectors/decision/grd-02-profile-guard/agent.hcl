guard "worker" {
  match    = { operation = "push" }
  profiles = ["worker", "helper"]
  action   = "deny"
}

policy "pushes" {
  match  = { operation = "push" }
  action = "allow"
}
