guard "user_first" {
  match  = { operation = ["a", "b"] }
  action = "ask"
}

guard "user_second" {
  match  = { operation = "a" }
  action = "ask"
}
