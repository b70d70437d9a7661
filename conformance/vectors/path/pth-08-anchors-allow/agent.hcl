policy "allowed" {
  match  = { operation = "write" }
  path   = ["/nonexistent-other/*.txt", "~/x", "a/*.go", "**/y", "./**/z", "d/"]
  action = "allow"
}
