policy "one" {
  match  = { operation = ["a", "b"] }
  action = "deny"
}

policy "two" {
  match  = { operation = ["c", "d"] }
  action = "deny"
}

guard "g1" {
  match  = { provider = "x" }
  action = "ask"
}

guard "g2" {
  match  = { provider = "x", operation = "e" }
  action = "ask"
}
