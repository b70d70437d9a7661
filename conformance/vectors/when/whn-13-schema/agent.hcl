policy "e1" {
  match  = { operation = "e1" }
  when   = input.pth == "x"
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = input.n == "x"
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = startswith(input.n, "x")
  action = "deny"
}
