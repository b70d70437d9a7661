provider "fs" {
  operation "read" {
    risk = "read_only"
    kind = "data_source"
  }

  operation "touch" {
    kind = "resource"
    risk = "low"
  }

  operation "move" {
    kind = "resource"
    risk = "low"
  }
}
