defaults {
  resource = "allow"
}

policy "e1" {
  match  = { operation = "e1" }
  when   = startswith(input.a, "ab")
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = endswith(input.a, ".pem")
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = contains(input.a, "b")
  action = "deny"
}

policy "e4" {
  match  = { operation = "e4" }
  when   = length(input.a) == 2
  action = "deny"
}

policy "e5" {
  match  = { operation = "e5" }
  when   = lower(input.a) == "ab"
  action = "deny"
}

policy "e6" {
  match  = { operation = "e6" }
  when   = glob(input.a, "src/*.go")
  action = "deny"
}

policy "e7" {
  match  = { operation = "e7" }
  when   = cidr_contains("10.0.0.0/8", input.a)
  action = "deny"
}

policy "e8" {
  match  = { operation = "e8" }
  when   = coalesce(input.a, input.b, 1) < 5
  action = "deny"
}
