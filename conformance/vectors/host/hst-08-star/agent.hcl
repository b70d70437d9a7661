policy "allowed" {
  match  = { operation = "fetch" }
  host   = ["*"]
  action = "allow"
}
