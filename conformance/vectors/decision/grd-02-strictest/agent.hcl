guard "asks" {
  match  = { provider = "fs" }
  action = "ask"
}

guard "denies" {
  match  = { operation = "wipe" }
  action = "deny"
}

policy "edits" {
  match  = { operation = "edit" }
  action = "ask"
}

policy "wipes" {
  match  = { operation = "wipe", provider = "tape" }
  action = "deny"
}

policy "fs" {
  match  = { provider = "fs" }
  action = "allow"
}
