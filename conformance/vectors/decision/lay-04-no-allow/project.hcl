policy "write" {
  match  = { operation = "write", provider = "fs" }
  action = "allow"
}

policy "bash" {
  match  = { operation = "bash" }
  action = "allow"
}

policy "deploy" {
  match  = { operation = "deploy" }
  action = "hook"
}
