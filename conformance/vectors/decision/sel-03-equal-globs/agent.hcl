policy "one" {
  match  = { operation = "get*" }
  action = "allow"
}

policy "two" {
  match  = { operation = "get**" }
  action = "deny"
}

