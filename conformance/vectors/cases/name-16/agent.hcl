policy "reads" {
  match  = { provider = "jira", operation = ["get*", "list*"], kind = "data_source" }
  action = "allow"
}

defaults {
  data_source = "deny"
}
