policy "a" {
  match  = { operation = "a?[b]\\*" }
  action = "deny"
}

policy "b" {
  match  = { operation = "x***y" }
  action = "deny"
}
