defaults {
  interactive = "deny"
}
