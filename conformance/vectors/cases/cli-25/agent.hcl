policy "a1" {
  match  = { operation = "a" }
  action = "ask"
}

policy "b1" {
  match  = { provider = "b" }
  action = "ask"
}

policy "c1" {
  match  = { risk = "low" }
  action = "ask"
}

policy "c2" {
  match  = { risk = "low" }
  action = "deny"
}

policy "b2" {
  match  = { provider = "b" }
  action = "deny"
}

policy "a2" {
  match  = { operation = "a" }
  action = "deny"
}
