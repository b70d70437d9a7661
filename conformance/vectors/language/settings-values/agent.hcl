decision_hook {
  url      = "https://hooks.example.com/decide"
  command  = ["decide"]
  timeout  = "soon"
  on_error = "allow"
}

approvals {
  expires_in = 3600
  on_expire  = "allow"
}

circuit_breaker {
  consecutive = -1
  window      = 2.5
}
