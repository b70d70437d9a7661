defaults {
  resource = "allow"
}

policy "look" {
  match   = { operation = "bash" }
  command = ["Get-Location"]
  action  = "allow"
}

policy "wipe" {
  match   = { operation = "ps" }
  command = ["Remove-Item"]
  action  = "deny"
}

policy "some" {
  match   = { operation = "ps" }
  command = ["Get-Location"]
  action  = "allow"
}
