policy "no_wipe" {
  match  = { operation = "wipe" }
  action = "deny"
}
