policy "fs" {
  match  = { provider = "fs" }
  action = "deny"
}
