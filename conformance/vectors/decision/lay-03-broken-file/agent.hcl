policy "reads" {
  match  = { kind = "data_source" }
  action = "allow"
