policy "mixed" {
  match  = { operation = "wipe", kind = "data_source", risk = "critical" }
  action = "deny"
}

policy "wipes" {
  match  = { operation = "wipe" }
  action = "allow"
}
