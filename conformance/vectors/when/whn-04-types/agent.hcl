policy "e1" {
  match  = { operation = "e1" }
  when   = input
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = lower(input.x)
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = input.x > "3"
  action = "deny"
}

policy "e4" {
  match  = { operation = "e4" }
  when   = call.kind == 3
  action = "deny"
}

policy "e5" {
  match  = { operation = "e5" }
  when   = input[0] == 3
  action = "deny"
}
