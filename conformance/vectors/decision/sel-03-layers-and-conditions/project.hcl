policy "p" {
  match  = { operation = "a" }
  action = "ask"
}

policy "p_when" {
  match  = { operation = "a" }
  when   = input.force == true
  action = "deny"
}

policy "worker" {
  match    = { operation = "a" }
  profiles = ["worker"]
  action   = "deny"
}

policy "helper" {
  match    = { operation = "a" }
  profiles = ["helper"]
  action   = "allow"
}
