defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "fetch" }
  host   = ["127.0.0.1", "169.254.169.254", "10.0.0.0/8", "2001:db8::/32"]
  action = "deny"
}
