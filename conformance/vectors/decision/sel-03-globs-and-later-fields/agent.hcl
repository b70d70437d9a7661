policy "prefix" {
  match  = { operation = "write_*" }
  action = "ask"
}

policy "later" {
  match  = { operation = "*_file", provider = "fs", risk = "high" }
  action = "deny"
}

