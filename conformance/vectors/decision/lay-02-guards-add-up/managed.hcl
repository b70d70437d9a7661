guard "m" {
  match  = { operation = "a" }
  action = "deny"
}

policy "ask_fs" {
  match  = { provider = "fs", kind = "resource" }
  action = "ask"
}
