decision_hook {
  url        = "https://hooks.example.com/decide"
  timeout    = "5s"
  on_error   = "ask"
  on_timeout = "deny"
}

approvals {
  expires_in = "1h30m"
  on_expire  = "cancel_turn"
}

circuit_breaker {
  consecutive = 0
  window      = 20
  denials     = 8
}

defaults {
  resource = "ask"
}
