defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "fetch" }
  host   = ["evil.example"]
  action = "deny"
}
