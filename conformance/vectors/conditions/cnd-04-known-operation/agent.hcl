policy "all" {
  match  = { provider = "p" }
  action = "allow"
}

policy "paths" {
  match  = { operation = ["declared", "schema"] }
  path   = ["secret/**", "/nonexistent-work/here"]
  action = "deny"
}

policy "hosts" {
  match  = { operation = ["declared", "schema"], risk = "low" }
  host   = ["*"]
  action = "deny"
}

policy "commands" {
  match   = { operation = ["declared", "schema"], provider = "p" }
  command = ["rm"]
  action  = "deny"
}
