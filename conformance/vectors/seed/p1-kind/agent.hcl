policy "changes" {
  match  = { kind = "resource" }
  action = "deny"
}
