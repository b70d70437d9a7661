policy "ask_everything" {
  match  = {}
  action = "ask"
}
