policy "ask_writes" {
  match  = { kind = "resource" }
  action = "ask"
}
