policy "deploys" {
  match  = { operation = "deploy" }
  action = "deny"
}
