policy "e1" {
  match  = { operation = "e1" }
  when   = input.x == "é"
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = input.x == "e\u0301"
  action = "deny"
}
