policy "allowed" {
  match  = { operation = "fetch" }
  host   = ["example.com:8443", "[2001:db8::1]:443", "any.example"]
  action = "allow"
}
