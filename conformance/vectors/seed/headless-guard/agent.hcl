guard "headless" {
  match  = { kind = "interactive" }
  action = "deny"
}

policy "ui" {
  match  = { operation = "ask_user" }
  action = "allow"
}
