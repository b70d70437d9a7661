defaults {
  resource = "allow"
}

policy "e1" {
  match  = { operation = "e1" }
  when   = input.a == input.b
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = input.a != input.b
  action = "deny"
}
