policy "first" {
  match  = { operation = "write" }
  action = "deny"
}

policy "second" {
  match  = { operation = "write" }
  action = "deny"
}

