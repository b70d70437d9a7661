policy "a" {
  match  = { operation = "x", profile = "worker" }
  action = "deny"
}

policy "b" {
  match  = { provider = "x", provider = "y" }
  action = "deny"
}

policy "c" {
  match  = { tool_name = "x", operation = "x" }
  action = "deny"
}

policy "d" {
  match  = { command = "git push" }
  action = "deny"
}

policy "e" {
  match  = { (provider) = "x" }
  action = "deny"
}

policy "f" {
  match  = { "kind" = "resource" }
  action = "deny"
}
