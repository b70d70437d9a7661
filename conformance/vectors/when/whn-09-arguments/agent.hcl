policy "e1" {
  match  = { operation = "e1" }
  when   = startswith(input.x)
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = lower(input.x, "a") == "x"
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = coalesce()
  action = "deny"
}

policy "e4" {
  match  = { operation = "e4" }
  when   = cidr_contains("10.0.0.1/8", input.ip)
  action = "deny"
}
