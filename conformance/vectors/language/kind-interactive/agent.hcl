policy "a" {
  match  = { kind = "interactive" }
  action = "deny"
}

policy "b" {
  match  = { kind = ["resource", "interactive"] }
  action = "deny"
}

guard "c" {
  match  = { kind = ["interactive", "resource"] }
  action = "deny"
}
