required_providers {
  filesystem = { source = "example/filesystem", version = ">= 1.0" }
}

provider "filesystem" {
  root = env("HOME")
}

hook "audit" {
  mode    = "observe"
  command = ["audit", "--policy"]
  nested {
    match = 3
  }
}

settings {
  theme = dark
}

policy "a" {
  match  = { operation = "x" }
  action = "deny"
}
