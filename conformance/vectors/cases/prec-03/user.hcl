policy "pushes" {
  match   = { operation = "bash" }
  command = ["git push"]
  action  = "ask"
}
