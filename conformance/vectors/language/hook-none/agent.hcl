decision_hook {
  timeout = "5s"
}
