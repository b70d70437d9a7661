policy "no_web" {
  match  = { operation = "web_fetch" }
  action = "deny"
}

policy "no_questions" {
  match  = { operation = "ask_user" }
  action = "deny"
}
