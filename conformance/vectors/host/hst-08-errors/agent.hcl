policy "denied" {
  match  = { operation = "fetch" }
  host   = ["https://a.example", "a.example/x", "u@a.example", "a.*.example", "*a.example", "10.0.0.1/8", "010.0.0.1", "a..example", "a.example:0", "10.0.0.0/8:80"]
  action = "deny"
}
