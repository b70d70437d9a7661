guard "danger" {
  match  = { risk = ["low", "moderate", "high", "critical"] }
  action = "deny"
}

policy "plain_reads" {
  match  = { operation = "read", risk = "read_only" }
  action = "allow"
}

defaults {
  data_source = "ask"
}
