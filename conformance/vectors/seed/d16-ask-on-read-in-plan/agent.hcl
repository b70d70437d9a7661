policy "ask_secrets" {
  match  = { operation = "read_secret" }
  action = "ask"
}
