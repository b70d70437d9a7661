policy "release_week" {
  match   = { operation = "deploy" }
  action  = "allow"
  expires = "2030-06-01T12:00:00Z"
}

guard "freeze" {
  match   = { operation = "migrate" }
  action  = "deny"
  expires = "2030-06-01T14:00:00+02:00"
}
