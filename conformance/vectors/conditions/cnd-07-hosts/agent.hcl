defaults {
  resource = "allow"
}

policy "api" {
  match  = { operation = ["fetch", "bash"] }
  host   = ["api.example.com", "*.cdn.example.com"]
  action = "allow"
}

guard "evil" {
  host   = ["evil.example"]
  action = "deny"
}
