policy "z_first" {
  match   = { operation = "a" }
  action  = "ask"
  expires = "2030-06-01T00:00:00Z"
}

policy "a_second" {
  match   = { operation = "a" }
  action  = "ask"
  expires = "2030-06-01T00:00:00Z"
}
