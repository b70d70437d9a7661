defaults {
  resource = "allow"
}

policy "everywhere" {
  match  = { operation = "write" }
  path   = ["**"]
  action = "allow"
}

policy "one" {
  match  = { operation = "write", provider = "fs" }
  path   = ["pub/x"]
  action = "allow"
}

policy "secret" {
  match  = { operation = "write" }
  path   = ["priv/key"]
  action = "deny"
}
