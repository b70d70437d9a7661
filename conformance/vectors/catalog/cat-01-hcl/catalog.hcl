provider "fs" {
  operation "touch" {
    kind = "resource"
    risk = "low"
  }

  operation "write" {
    kind         = "resource"
    risk         = "moderate"
    description  = "Write a file."
    input_schema = { type = "object", properties = { path = { type = "string" } } }
    roles        = { path = ["/path"] }
    shell        = "bash"
  }

  operation "read" {
    kind = "data_source"
    risk = "read_only"
  }
}
