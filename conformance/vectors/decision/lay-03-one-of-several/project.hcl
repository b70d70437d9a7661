policy "writes" {
  match  = { operation = "write" }
  action = "alow"
}
