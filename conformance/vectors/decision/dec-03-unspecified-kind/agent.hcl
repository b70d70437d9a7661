policy "reads" {
  match  = { kind = "data_source" }
  action = "allow"
}

policy "changes_on_disk" {
  match  = { kind = "resource", provider = "disk" }
  action = "deny"
}

guard "interactive" {
  match  = { kind = "interactive" }
  action = "deny"
}
