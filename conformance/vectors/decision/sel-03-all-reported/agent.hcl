policy "p1" {
  match  = { operation = "a" }
  action = "ask"
}

policy "p2" {
  match  = { operation = "b" }
  action = "deny"
}

policy "p3" {
  match  = { operation = "a" }
  action = "deny"
}

policy "p4" {
  match  = { operation = "b" }
  action = "ask"
}

policy "p5" {
  match  = { provider = "x" }
  action = "ask"
}

policy "p6" {
  match  = { provider = ["y", "x"] }
  action = "deny"
}

