policy "one" {
  match  = { operation = ["a", "b", "c"] }
  action = "allow"
}

policy "two" {
  match  = { operation = ["c", "d"] }
  action = "deny"
}

policy "three" {
  match  = { operation = ["e", "d"] }
  action = "ask"
}

policy "four" {
  match  = { operation = "f" }
  action = "ask"
}

