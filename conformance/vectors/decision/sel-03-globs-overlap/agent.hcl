policy "prefix" {
  match  = { operation = "write_*" }
  action = "ask"
}

policy "suffix" {
  match  = { operation = "*_file" }
  action = "deny"
}

