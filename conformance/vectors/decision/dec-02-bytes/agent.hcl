policy "shell" {
  match  = { operation = "bash" }
  action = "allow"
}

policy "server" {
  match  = { provider = "my.server" }
  action = "allow"
}

policy "composed" {
  match  = { operation = "café" }
  action = "allow"
}
