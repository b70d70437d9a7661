policy "e1" {
  match  = { operation = "e1" }
  when   = inptu.path == "x"
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = env.HOME == "x"
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = call.kid == "x"
  action = "deny"
}

policy "e4" {
  match  = { operation = "e4" }
  when   = try(input.x, true)
  action = "deny"
}

policy "e5" {
  match  = { operation = "e5" }
  when   = jsonencode(input) == "{}"
  action = "deny"
}

policy "e6" {
  match  = { operation = "e6" }
  when   = input.x == { a = 1 }
  action = "deny"
}

policy "e7" {
  match  = { operation = "e7" }
  when   = startswith([input.x, "a"]...)
  action = "deny"
}

policy "e8" {
  match  = { operation = "e8" }
  when   = "%{ if input.x }a%{ endif }" == "a"
  action = "deny"
}
