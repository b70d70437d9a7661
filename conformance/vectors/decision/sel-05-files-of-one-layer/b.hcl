agent_profile "worker" {
  allowed_tools = ["read"]
}

defaults {
  data_source = "deny"
  resource    = "ask"
}
