policy "a" {
  match   = { operation = "a" }
  action  = "deny"
  expires = "2999-01-01t00:00:00Z"
}

policy "b" {
  match   = { operation = "b" }
  action  = "deny"
  expires = "2999-01-01T00:00:00z"
}

policy "c" {
  match   = { operation = "c" }
  action  = "deny"
  expires = "2999-01-01 00:00:00Z"
}

policy "d" {
  match   = { operation = "d" }
  action  = "deny"
  expires = "2999-01-01T00:00:00"
}

policy "e" {
  match   = { operation = "e" }
  action  = "deny"
  expires = "2999-01-01T00:00:00.25+02:00"
}
