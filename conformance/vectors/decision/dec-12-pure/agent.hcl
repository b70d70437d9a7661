policy "writes" {
  match  = { operation = "write" }
  action = "ask"
}
