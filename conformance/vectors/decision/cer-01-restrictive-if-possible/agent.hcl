policy "allow_all" {
  match  = {}
  action = "allow"
}

policy "maybe_deny" {
  match  = { operation = "a" }
  when   = input.force == true
  action = "deny"
}

policy "maybe_ask" {
  match  = { operation = "b" }
  when   = input.force == true
  action = "ask"
}

policy "maybe_hook" {
  match  = { operation = "c" }
  when   = input.force == true
  action = "hook"
}

guard "maybe_guard" {
  match  = { operation = "d" }
  when   = input.force == true
  action = "deny"
}
