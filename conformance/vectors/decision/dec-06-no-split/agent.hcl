policy "everything" {
  match  = {}
  action = "allow"
}
