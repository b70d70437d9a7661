policy "files" {
  match  = { provider = "filesystem" }
  action = "allow"
}
