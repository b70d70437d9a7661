policy "exact" {
  match  = { operation = "write_file" }
  action = "allow"
}

policy "glob" {
  match  = { operation = "write_*", provider = "fs", risk = "low", kind = "resource" }
  action = "deny"
}

policy "unset" {
  match  = { provider = "fs", risk = "low", kind = "resource" }
  action = "ask"
}

policy "server_glob" {
  match  = { provider = "git*" }
  action = "deny"
}

policy "server_exact" {
  match  = { provider = "github" }
  action = "allow"
}
