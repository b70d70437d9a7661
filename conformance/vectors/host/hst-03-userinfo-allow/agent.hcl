policy "allowed" {
  match  = { operation = "fetch" }
  host   = ["example.com"]
  action = "allow"
}
