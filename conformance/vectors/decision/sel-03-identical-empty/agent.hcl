policy "first" {
  match  = {}
  action = "allow"
}

policy "second" {
  match  = { }
  action = "deny"
}

