policy "no_web" {
  match  = { provider = "web" }
  action = "deny"
}
