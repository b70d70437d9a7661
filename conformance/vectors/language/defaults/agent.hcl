defaults {
  resource    = "hook"
  data_source = "hook"
  interactive = "deny"
}
