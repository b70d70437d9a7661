policy "all" {
  match  = { provider = "fs", kind = "resource" }
  action = "allow"
}
