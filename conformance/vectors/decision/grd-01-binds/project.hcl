policy "exact" {
  match = {
    operation = "wipe"
    provider  = "disk"
    risk      = "critical"
    kind      = "resource"
  }
  action = "allow"
}

policy "worker" {
  match    = { operation = "format", provider = "disk" }
  profiles = ["worker"]
  action   = "allow"
}

agent_profile "listed" {
  allowed_tools = ["wipe", "shred"]
}
