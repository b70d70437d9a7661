policy "a" {
  match  = { operation = "write_*", provider = "f*" }
  action = "deny"
}

policy "b" {
  match  = { risk = "*" }
  action = "deny"
}

policy "c" {
  match  = { kind = ["resource", "data_*"] }
  action = "deny"
}
