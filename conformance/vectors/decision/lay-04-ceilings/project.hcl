policy "ask_write" {
  match  = { operation = "write", provider = "fs" }
  action = "ask"
}

policy "deny_edit" {
  match  = { operation = "edit" }
  action = "deny"
}

policy "ask_stat" {
  match  = { operation = "stat" }
  action = "ask"
}

policy "deny_plan" {
  match  = { operation = "plan" }
  action = "deny"
}

policy "deny_unlisted" {
  match  = { operation = "unlisted" }
  action = "deny"
}
