policy "e1" {
  match  = { operation = "e1" }
  when   = regex(input.x, "(")
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = regex(input.x, "(?=a)")
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = regex(input.x, input.y)
  action = "deny"
}

policy "e4" {
  match  = { operation = "e4" }
  when   = regex(input.x, "(a{50}){50}")
  action = "deny"
}
