policy "wrong" {
  match  = { operation = "write" }
  path   = ["~user/a", "a/../b", "a**b", "a\\b", "[a", "{a"]
  action = "deny"
}
