guard "p" {
  match  = { operation = "c" }
  action = "deny"
}

policy "write" {
  match = {
    operation = "write"
    provider  = "fs"
    risk      = "moderate"
    kind      = "resource"
  }
  action = "allow"
}
