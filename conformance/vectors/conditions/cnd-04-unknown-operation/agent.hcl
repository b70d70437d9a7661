policy "all" {
  match  = {}
  action = "allow"
}

policy "named" {
  match  = { operation = "mystery" }
  path   = ["**/.env"]
  action = "deny"
}

guard "paths" {
  path   = ["**/.pem"]
  action = "deny"
}

guard "hosts" {
  host   = ["evil.example"]
  action = "deny"
}

guard "commands" {
  command = ["rm"]
  action  = "deny"
}
