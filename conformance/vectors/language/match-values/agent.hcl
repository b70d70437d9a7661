policy "a" {
  match  = { operation = 3 }
  action = "deny"
}

policy "b" {
  match  = { operation = ["x", true] }
  action = "deny"
}

policy "c" {
  match  = { operation = null }
  action = "deny"
}

policy "d" {
  match  = { provider = "" }
  action = "deny"
}

policy "e" {
  match  = { provider = [] }
  action = "deny"
}

policy "f" {
  match  = { provider = { name = "x" } }
  action = "deny"
}

policy "g" {
  match  = "bash"
  action = "deny"
}

policy "h" {
  match  = { operation = ["x", ["y"]] }
  action = "deny"
}
