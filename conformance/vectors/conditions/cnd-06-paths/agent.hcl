defaults {
  resource = "allow"
}

policy "inside" {
  match  = { operation = "bash" }
  path   = ["src/**"]
  action = "allow"
}

policy "lists" {
  match   = { operation = "bash" }
  command = ["env ls", "ls", "cat"]
  path    = ["./**"]
  action  = "allow"
}

guard "secrets" {
  path   = ["**/.env"]
  action = "deny"
}
