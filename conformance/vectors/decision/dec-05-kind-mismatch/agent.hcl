policy "writes" {
  match  = { operation = "write", kind = "resource" }
  action = "allow"
}

policy "wipes" {
  match  = { operation = "wipe" }
  action = "ask"
}
