policy "p" {
  match  = { toolname = "glob" }
  action = "allow"
}
