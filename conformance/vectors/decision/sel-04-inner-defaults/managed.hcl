defaults {
  resource    = "deny"
  data_source = "deny"
}
