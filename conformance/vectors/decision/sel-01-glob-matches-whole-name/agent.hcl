policy "get" {
  match  = { operation = "get*Issue*" }
  action = "deny"
}

policy "dots" {
  match  = { operation = "a.b?c[x]*" }
  action = "deny"
}

policy "star" {
  match  = { provider = "*" , operation = "anything" }
  action = "deny"
}
