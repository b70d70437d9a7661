policy "reads" {
  match  = { kind = "data_source" }
  action = "allow"
}

policy "rm" {
  match  = { operation = "rm" }
  acton  = "deny"
}
