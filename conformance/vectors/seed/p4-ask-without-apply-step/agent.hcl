policy "ask_reads" {
  match  = { kind = "data_source" }
  action = "ask"
}

policy "ask_ui" {
  match  = { provider = "ui" }
  action = "ask"
}
