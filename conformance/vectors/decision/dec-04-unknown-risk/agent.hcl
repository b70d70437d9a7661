policy "writes" {
  match  = { operation = "write" }
  action = "allow"
}

policy "no_critical_writes" {
  match  = { operation = "write", risk = "critical" }
  action = "deny"
}

policy "low_edits" {
  match  = { operation = "edit", risk = "low" }
  action = "allow"
}

policy "deploys" {
  match  = { operation = "deploy" }
  action = "allow"
}

guard "high" {
  match  = { risk = ["high", "critical"], operation = "deploy" }
  action = "deny"
}
