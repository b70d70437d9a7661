defaults {
  resource = "allow"
}

policy "e1" {
  match  = { operation = "e1" }
  when   = input.n == 9007199254740993
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = input.n + 0.2 == 0.3
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = input.n * 2 == 6 && input.n / 2 == 1.5 && input.n % 2 == 1 && -input.n == -3
  action = "deny"
}

policy "e4" {
  match  = { operation = "e4" }
  when   = input.n > 0 || input.n <= 0
  action = "deny"
}

policy "e5" {
  match  = { operation = "e5" }
  when   = 1 / input.n == 1
  action = "deny"
}
