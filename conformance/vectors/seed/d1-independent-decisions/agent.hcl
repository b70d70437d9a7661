policy "allow_git" {
  match  = { provider = "git", kind = "resource" }
  action = "allow"
}

policy "deny_cloud" {
  match  = { provider = "cloud", kind = "resource" }
  action = "deny"
}
