policy "a" {
  match  = { operation = }
}

policy "b" {
  match  = { toolname = "x" }
  action = "deny"
}
