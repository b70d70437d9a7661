policy "allowed" {
  match  = { operation = "fetch" }
  host   = ["127.0.0.1", "10.0.0.0/8", "[2001:db8::1]"]
  action = "allow"
}
