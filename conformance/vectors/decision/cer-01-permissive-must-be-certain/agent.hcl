policy "narrow" {
  match  = { operation = "write", provider = "fs" }
  when   = input.safe == true
  action = "allow"
}

policy "broad" {
  match  = { operation = "write" }
  action = "deny"
}

policy "reads" {
  match  = { operation = "read" }
  when   = input.safe == true
  action = "allow"
}
