policy "always_1" {
  match = {
    operation = "write_file"
    provider  = "filesystem"
    risk      = "moderate"
    kind      = "resource"
  }
  action = "allow"
}
