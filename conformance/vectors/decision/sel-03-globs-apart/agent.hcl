policy "writes" {
  match  = { operation = "write_*" }
  action = "allow"
}

policy "reads" {
  match  = { operation = "read_*" }
  action = "ask"
}

policy "exact" {
  match  = { operation = "list" }
  action = "deny"
}

policy "servers" {
  match  = { provider = "git*" }
  action = "deny"
}
