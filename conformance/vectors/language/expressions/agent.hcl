policy "a" {
  match  = { operation = env("TOOL") }
  action = "deny"
}

policy "b" {
  match  = { operation = "${HOME}" }
  action = "deny"
}

policy "c" {
  match  = { operation = local.tool }
  action = allow
}

policy "d" {
  match  = { operation = true ? "x" : "y" }
  action = "deny"
}

policy "e" {
  match  = { operation = [for x in ["a"] : x] }
  action = "deny"
}
