defaults {
  resource    = "allow"
  data_source = "deny"
  interactive = "allow"
}
