guard "u" {
  match  = { operation = "b" }
  action = "deny"
}
