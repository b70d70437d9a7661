policy "ctx" {
  match  = { provider = "ctx" }
  action = "deny"
}

guard "wipes" {
  match  = { operation = "*wipe*" }
  action = "deny"
}
