policy "server" {
  match  = { provider = "my.server" }
  action = "allow"
}
