policies "a" {
  match  = { operation = "x" }
  action = "deny"
}

rule {
}
