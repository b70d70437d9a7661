policy "a" {
  match  = { operation = "a\tb\u00e9\"$${c}" }
  action = "deny"
}
