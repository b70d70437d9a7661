policy "a" {
  match  = { operation = "a" }
  when   = 3
  action = "deny"
}

policy "b" {
  match  = { operation = "b" }
  when   = ["x"]
  action = "deny"
}

policy "c" {
  match  = { operation = "c" }
  when   = null
  action = "deny"
}

policy "d" {
  match  = { operation = "d" }
  when   = { x = 1 }
  action = "deny"
}

policy "e" {
  match  = { operation = "e" }
  when   = true
  action = "deny"
}
