policy "a" {
  match  = { operation = "write", risk = "low" }
  action = "allow"
}

policy "b" {
  match  = { operation = "write", risk = "high" }
  action = "deny"
}

policy "c" {
  match  = { operation = "write" }
  action = "ask"
}

policy "d" {
  match  = { provider = "fs" }
  action = "ask"
}

policy "e" {
  match  = { risk = "low" }
  action = "deny"
}

policy "f" {
  match  = { kind = "resource" }
  action = "allow"
}

policy "g" {
  match  = { operation = "write", kind = "resource" }
  action = "deny"
}

