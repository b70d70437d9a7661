defaults {
  resource = "allow"
}

policy "e1" {
  match  = { operation = "e1" }
  when   = input.path == "x"
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = input.xyz == "x"
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = input.anything == 1
  action = "deny"
}
