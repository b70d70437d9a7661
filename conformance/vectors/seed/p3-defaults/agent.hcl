policy "elsewhere" {
  match  = { operation = "unrelated" }
  action = "deny"
}
