policy "a" {
  match  = { operation = "x" }
  action = "deny"
  reason = <<-EOT
    One.
    Two.
  EOT
}
