policy "no_reads" {
  match  = { kind = "data_source" }
  action = "deny"
}
