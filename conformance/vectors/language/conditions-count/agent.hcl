policy "c" {
  match   = { operation = "c" }
  command = "git push"
  action  = "deny"
}

policy "p" {
  match  = { operation = "p" }
  path   = ["**/.env", "~/.ssh/**"]
  action = "deny"
}

policy "h" {
  match  = { operation = "h" }
  host   = "*.example.com"
  action = "deny"
}

policy "w" {
  match  = { operation = "w" }
  when   = input.force == true && call.risk != "low"
  action = "deny"
}

policy "all" {
  match  = {}
  action = "allow"
}
