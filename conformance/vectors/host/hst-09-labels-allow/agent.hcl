policy "allowed" {
  match  = { operation = "fetch" }
  host   = ["example.com", "*.cdn.example", "münchen.example"]
  action = "allow"
}
