policy "p" {
  match  = { operation = ["c", "d"] }
  action = "ask"
}
