policy "worker_bash" {
  match    = { operation = "bash" }
  profiles = ["worker"]
  action   = "deny"
}
