defaults {
  resource = "allow"
}

policy "e1" {
  match  = { operation = "e1" }
  when   = startswith(input.path, "src/")
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = input["two words"].deep[1] == "x"
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = session.interactive && caller.name == "ci"
  action = "deny"
}

policy "e4" {
  match  = { operation = "e4" }
  when   = call.provider == "x" && call.operation == "e4" && call.kind == "resource" && call.risk == "low" && call.profile == "" && call.id == "i" && call.cwd == "/nonexistent-work" && call.workspace == "/nonexistent-work" && call.home == "/nonexistent-home" && call.producer_category == "tool"
  action = "deny"
}

policy "e5" {
  match  = { operation = "e5" }
  when   = call.risk != "high"
  action = "deny"
}

policy "e6" {
  match  = { operation = "e6" }
  when   = call.kind != "interactive"
  action = "deny"
}
