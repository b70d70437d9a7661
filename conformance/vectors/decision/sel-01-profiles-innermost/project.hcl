policy "bash" {
  match  = { operation = "bash" }
  action = "allow"
}

policy "reviewer_bash" {
  match    = { operation = "bash" }
  profiles = ["reviewer", "worker"]
  action   = "ask"
}
