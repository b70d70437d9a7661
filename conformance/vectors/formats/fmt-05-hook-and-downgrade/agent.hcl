policy "hooked" {
  match  = { operation = "deploy" }
  action = "hook"
}
