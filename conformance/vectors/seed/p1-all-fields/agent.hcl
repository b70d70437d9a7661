policy "exactly_this" {
  match = {
    operation = "write_file"
    provider  = "filesystem"
    risk      = "moderate"
    kind      = "resource"
  }
  action = "allow"
}
