policy "a" { match = {} action = "deny" }
