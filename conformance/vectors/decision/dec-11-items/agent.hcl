policy "one" {
  match   = { operation = ["bash", "look"] }
  command = ["one"]
  action  = "hook"
}

policy "two" {
  match   = { operation = ["bash", "look"] }
  command = ["two"]
  action  = "ask"
}

policy "three" {
  match   = { operation = ["bash", "look"] }
  command = ["three", "four"]
  action  = "allow"
}

policy "five" {
  match   = { operation = ["bash", "look"] }
  command = ["five"]
  action  = "deny"
}
