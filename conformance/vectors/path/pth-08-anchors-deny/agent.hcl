defaults {
  resource = "allow"
}

policy "denied" {
  match  = { operation = "write" }
  path   = ["**/y", "./**/z", "k?y", "[a-c]1", "[!a-c]2", "{one,two}/x", "st\\*r", "e/**"]
  action = "deny"
}
