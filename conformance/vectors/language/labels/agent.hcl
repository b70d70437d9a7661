defaults "x" {
  resource = "ask"
}

guard {
  action = "deny"
}

policy "a" b {
  match  = { operation = "x" }
  action = "deny"
}
