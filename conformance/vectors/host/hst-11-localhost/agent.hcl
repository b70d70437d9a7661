defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "fetch" }
  host   = ["localhost"]
  action = "deny"
}
