policy "release_week" {
  match   = { operation = "deploy" }
  action  = "deny"
  expires = "2030-06-01T12:00:00Z"
}
