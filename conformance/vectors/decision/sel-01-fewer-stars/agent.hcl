policy "two_stars" {
  match  = { operation = "*write*" }
  action = "deny"
}

policy "one_star" {
  match  = { operation = "write*" }
  action = "allow"
}
