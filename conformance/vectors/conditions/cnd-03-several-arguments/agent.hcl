defaults {
  resource = "allow"
}

policy "looks" {
  match   = { operation = "both" }
  command = ["git status"]
  action  = "allow"
}

policy "pushes" {
  match   = { operation = "both" }
  command = ["git push"]
  action  = "deny"
}
