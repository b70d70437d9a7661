policy "prefix" {
  match  = { operation = "ab_*", provider = "fs" }
  action = "allow"
}

policy "suffix" {
  match  = { operation = "*_ab" }
  action = "deny"
}
