policy "longer" {
  match  = { operation = "write_*" }
  action = "allow"
}

policy "shorter_with_all" {
  match  = { operation = "write*", provider = "fs", risk = "high", kind = "resource" }
  action = "deny"
}
