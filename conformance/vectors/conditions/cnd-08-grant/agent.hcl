policy "all" {
  match  = { operation = ["bash", "ps", "two"] }
  action = "allow"
}

policy "own_pushes" {
  match  = { operation = ["bash", "ps", "two"] }
  grant  = ["git-push"]
  action = "hook"
}
