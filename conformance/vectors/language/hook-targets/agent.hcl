decision_hook {
  command = "decide --now"
}
