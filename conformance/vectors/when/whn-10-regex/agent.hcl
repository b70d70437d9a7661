defaults {
  resource = "allow"
}

policy "e1" {
  match  = { operation = "e1" }
  when   = regex(input.a, "b+")
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = regex(input.a, "^v[0-9]+$")
  action = "deny"
}
