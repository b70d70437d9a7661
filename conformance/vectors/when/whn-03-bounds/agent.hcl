defaults {
  resource = "allow"
}

policy "big" {
  match  = { operation = "t" }
  when   = input.n > 5
  action = "deny"
}
