policy "a" {
  match   = { operation = "x" }
  action  = "deny"
  comment = "why"
}

guard "g" {
  action   = "deny"
  priority = 1
}

defaults {
  resources = "ask"
}
