policy "mild" {
  match  = { risk = "low" }
  action = "allow"
}
