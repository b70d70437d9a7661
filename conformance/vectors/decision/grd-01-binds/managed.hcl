guard "no_wipe" {
  match  = { provider = "disk" }
  action = "deny"
}
