policy "with" {
  match  = { operation = "write" }
  action = "deny"
  reason = "Not on Fridays: <b>ask \"Ops\"</b>."
}

policy "without" {
  match  = { operation = "edit" }
  action = "deny"
}

guard "sealed" {
  match  = { operation = "wipe" }
  action = "deny"
  reason = "Never."
}
