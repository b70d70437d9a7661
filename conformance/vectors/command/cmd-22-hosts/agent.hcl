defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "bash" }
  host   = ["evil.example"]
  action = "deny"
}
