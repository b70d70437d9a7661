policy "one" {
  match  = { operation = ["a", "b"], risk = ["low", "high"] }
  action = "allow"
}

policy "two" {
  match  = { operation = ["b", "a"], risk = ["high", "moderate", "low"] }
  action = "deny"
}

