defaults {
  resource = "allow"
}

policy "e1" {
  match  = { operation = "e1" }
  when   = input.a == "x"
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = input.a
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = input.list[2] == "c"
  action = "deny"
}

policy "e4" {
  match  = { operation = "e4" }
  when   = input.n < 5
  action = "deny"
}

policy "e5" {
  match  = { operation = "e5" }
  when   = !input.a
  action = "deny"
}

policy "e6" {
  match  = { operation = "e6" }
  when   = "${input.a}b" == "ab"
  action = "deny"
}
