policy "yes" {
  match  = { operation = "x" }
  action = "allow"
}

policy "no" {
  match  = { operation = "x" }
  action = "deny"
}
