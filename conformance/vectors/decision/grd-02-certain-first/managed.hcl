policy "all" {
  match  = {}
  action = "allow"
}

guard "maybe" {
  match  = { risk = "high" }
  action = "deny"
}
