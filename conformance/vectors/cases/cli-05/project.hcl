required_providers {
  filesystem = { source = "example/filesystem" }
}
