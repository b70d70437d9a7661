defaults {
  resource    = "deny"
  interactive = "ask"
}
