policy "some" {
  match = {
    operation = ["write", "edit"]
    provider  = ["fs", "disk"]
    risk      = ["low", "moderate"]
    kind      = ["resource", "data_source"]
  }
  action = "deny"
}
