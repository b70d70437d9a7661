guard "one" {
  match  = { operation = "a" }
  action = "ask"
}

guard "two" {
  match  = { operation = "a" }
  action = "deny"
}
