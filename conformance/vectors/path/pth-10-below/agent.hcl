defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "write" }
  path   = ["secret", "~/.ssh"]
  action = "deny"
}

policy "sub" {
  match  = { operation = "read" }
  path   = ["sub"]
  action = "allow"
}

policy "reads" {
  match  = { operation = "read" }
  action = "deny"
}
