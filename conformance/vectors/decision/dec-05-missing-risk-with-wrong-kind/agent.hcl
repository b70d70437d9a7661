guard "critical" {
  match  = { risk = "critical", kind = "data_source" }
  action = "deny"
}

policy "wipes" {
  match  = { operation = "wipe" }
  action = "allow"
}
