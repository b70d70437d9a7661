policy "one" {
  match  = { operation = "run", provider = "git*" }
  action = "allow"
}

policy "two" {
  match  = { operation = "run", provider = "*hub" }
  action = "deny"
}

