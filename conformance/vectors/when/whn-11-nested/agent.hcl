policy "e1" {
  match  = { operation = "e1" }
  when   = [for x in input.a : [for y in x : y]] == []
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = [for x in [for y in input.a : y] : x] == []
  action = "deny"
}
