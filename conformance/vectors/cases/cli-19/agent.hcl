polici "a" {
}

pоlicy "b" {
}

Policy "c" {
}

policy {
  match  = {}
  action = "deny"
}

policy "d" "e" {
  match  = { operation = "x" }
  action = "deny"
}
