policy "deploys" {
  match  = { operation = "deploy" }
  action = "ask"
}
