policy "a" {
  match   = { operation = "x" }
  command = []
  path    = ["ok", ""]
  host    = 3
  action  = "deny"
}
