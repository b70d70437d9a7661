policy "first" {
  match  = { operation = "write", provider = "fs", risk = "high" }
  action = "allow"
}

policy "second" {
  match  = { risk = "high", provider = "fs", operation = "write" }
  action = "ask"
}

