policy "a" {
  match  = { operation = "x" }
  when   = "input.force"
  action = "deny"
}
