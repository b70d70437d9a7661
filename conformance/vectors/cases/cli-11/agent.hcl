policy "a" {
  match  = { operation = "x" }
  action = "deny"
}

policy "a" {
  match  = { operation = "y" }
  action = "deny"
}

policy "A" {
  match  = { operation = "z" }
  action = "deny"
}

policy "café" {
  match  = { operation = "p" }
  action = "deny"
}

policy "CAFÉ" {
  match  = { operation = "q" }
  action = "deny"
}

guard "a" {
  action = "ask"
}
