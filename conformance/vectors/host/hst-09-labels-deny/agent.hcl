defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "fetch" }
  host   = ["evil.example", "*.evil.example"]
  action = "deny"
}
