policy "one" {
  match  = { operation = "x" }
  action = "ask"
}
