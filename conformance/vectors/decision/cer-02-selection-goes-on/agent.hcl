policy "maybe_ask" {
  match  = { operation = "a", provider = "x" }
  when   = input.force == true
  action = "ask"
}

policy "deny_a" {
  match  = { operation = "a" }
  action = "deny"
}

policy "maybe_deny" {
  match  = { operation = "b", provider = "x" }
  when   = input.force == true
  action = "deny"
}

policy "hook_b" {
  match  = { operation = "b" }
  action = "hook"
}

policy "allow_c" {
  match  = { operation = "c", provider = "x" }
  action = "allow"
}

policy "maybe_below" {
  match  = { operation = "c" }
  when   = input.force == true
  action = "deny"
}
