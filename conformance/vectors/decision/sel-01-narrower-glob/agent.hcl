policy "any" {
  match  = { operation = "*" }
  action = "deny"
}

policy "write" {
  match  = { operation = "write*" }
  action = "allow"
}

policy "write_x" {
  match  = { operation = "write_*" }
  action = "ask"
}

policy "write_file" {
  match  = { operation = "write_*file" }
  action = "allow"
}

policy "write_tmp_file" {
  match  = { operation = "write_tmp*file" }
  action = "deny"
}
