policy "mixed" {
  match  = { operation = ["write_file", "write_*"], provider = ["fs", "*"] }
  action = "allow"
}

policy "other" {
  match  = { operation = "write_d*", provider = "disk" }
  action = "deny"
}

policy "exact_any" {
  match  = { operation = "write_file", risk = "critical", kind = "resource" }
  action = "deny"
}
