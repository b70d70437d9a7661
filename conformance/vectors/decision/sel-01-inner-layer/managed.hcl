policy "m" {
  match  = { operation = ["a", "b", "c", "d"] }
  action = "allow"
}
