provider "fs" {
  operation "a" {
    kind        = "resource"
    risk        = "low"
    description = file("/etc/passwd")
  }

  operation "b" {
    kind        = "resource"
    risk        = "low"
    description = "${env.HOME}"
  }
}
