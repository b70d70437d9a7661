policy "updates" {
  match  = { provider = "db", operation = "update" }
  action = "allow"
}
