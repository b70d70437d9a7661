guard "all" {
  action = "ask"
}

policy "allow_all" {
  match  = {}
  action = "allow"
}
