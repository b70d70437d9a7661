agent_profile "worker" {
  allowed_tools = ["bash", "read"]
  deny_tools    = ["bash"]
}

policy "bash" {
  match  = { operation = "bash", provider = "shell", risk = "high", kind = "resource" }
  action = "allow"
}

guard "bash" {
  match  = { operation = "bash" }
  action = "deny"
}
