policy "a" {
  match   = { operation = "x" }
  path    = ["//etc/**", "a\u0000b", "/etc/**"]
  command = ["  ", "git push"]
  action  = "deny"
}
