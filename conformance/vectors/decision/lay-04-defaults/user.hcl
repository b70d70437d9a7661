defaults {
  resource = "deny"
}
