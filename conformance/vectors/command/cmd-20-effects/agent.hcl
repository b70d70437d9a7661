defaults {
  resource = "allow"
}

policy "all" {
  match  = {}
  action = "allow"
}
