decision_hook {
  url = "ftp://example.com/decide"
}
