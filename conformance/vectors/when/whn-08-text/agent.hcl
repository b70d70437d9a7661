defaults {
  resource = "allow"
}

policy "e1" {
  match  = { operation = "e1" }
  when   = input.a == "é"
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = input.a == "A"
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = input.a == 1
  action = "deny"
}
