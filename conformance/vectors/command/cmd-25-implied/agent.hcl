defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "bash" }
  path   = ["**/.git/config", "**/.gitmodules"]
  action = "deny"
}
