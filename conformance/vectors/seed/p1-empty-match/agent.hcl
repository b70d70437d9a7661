policy "everything" {
  match  = {}
  action = "deny"
}
