policy "ask_write" {
  match  = { operation = "write", provider = "fs" }
  action = "ask"
}
