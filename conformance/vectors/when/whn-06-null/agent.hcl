defaults {
  resource = "allow"
}

policy "e1" {
  match  = { operation = "e1" }
  when   = input.a == null
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = input.a != null
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = input.a.b == null
  action = "deny"
}
