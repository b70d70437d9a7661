policy "a" {
  match  = { risk = "High" }
  action = "deny"
}

policy "b" {
  match  = { kind = "tool" }
  action = "Deny"
}

policy "c" {
  match  = { risk = ["low", "none"] }
  action = "block"
}
