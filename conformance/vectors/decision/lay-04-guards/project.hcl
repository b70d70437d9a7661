guard "wipes" {
  match  = { operation = "wipe" }
  action = "deny"
}
