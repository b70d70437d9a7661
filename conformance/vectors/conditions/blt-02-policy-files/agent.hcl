policy "all" {
  match  = {}
  action = "allow"
}
