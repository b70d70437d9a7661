policy "elsewhere" {
  match  = { provider = "cloud" }
  action = "deny"
}
