policy "p" {
  match  = { operation = ["a", "b", "c"], risk = ["low", "hihg"] }
  action = "deny"
}
