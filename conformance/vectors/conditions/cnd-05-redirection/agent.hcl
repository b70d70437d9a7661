defaults {
  resource = "allow"
}

policy "plain" {
  match   = { operation = "bash" }
  command = ["printf"]
  action  = "allow"
}

policy "covered" {
  match   = { operation = "bash" }
  command = ["echo"]
  path    = ["./**"]
  action  = "allow"
}

policy "wipes" {
  match   = { operation = "bash" }
  command = ["rm"]
  action  = "deny"
}
