defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "fetch" }
  host   = ["evil.example:443"]
  action = "deny"
}
