policy "bash" {
  match  = { operation = "bash" }
  action = "allow"
}

policy "worker" {
  match    = { operation = "plan" }
  profiles = ["worker"]
  action   = "allow"
}
