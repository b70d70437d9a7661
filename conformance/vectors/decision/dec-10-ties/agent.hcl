policy "asks" {
  match  = { operation = "write" }
  action = "ask"
}

policy "maybe" {
  match  = { operation = "write", risk = "high" }
  action = "deny"
}

guard "also_asks" {
  match  = { operation = "write" }
  action = "ask"
}

policy "allows" {
  match  = { operation = "edit" }
  action = "allow"
}

policy "maybe_edit" {
  match  = { operation = "edit", risk = "high" }
  action = "deny"
}

guard "asks_edit" {
  match  = { operation = "edit" }
  action = "ask"
}
