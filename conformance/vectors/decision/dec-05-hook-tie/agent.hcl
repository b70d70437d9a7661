policy "as_call_says" {
  match  = { operation = "write", risk = "low" }
  action = "ask"
}

policy "as_catalog_says" {
  match  = { operation = "write", risk = "moderate" }
  action = "hook"
}
