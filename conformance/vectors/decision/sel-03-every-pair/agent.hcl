policy "p1" {
  match  = { operation = "a" }
  action = "allow"
}

policy "p2" {
  match  = { operation = "a" }
  action = "deny"
}

policy "p3" {
  match  = { operation = "a" }
  action = "ask"
}

