defaults {
  resource = "allow"
}

policy "e1" {
  match  = { operation = "e1" }
  when   = contains([for f in input.files : endswith(f, ".pem")], true)
  action = "deny"
}

policy "e2" {
  match  = { operation = "e2" }
  when   = length([for f in input.files : f if f != "x"]) == 1
  action = "deny"
}

policy "e3" {
  match  = { operation = "e3" }
  when   = contains(input.files[*].name, "b")
  action = "deny"
}

policy "e4" {
  match  = { operation = "e4" }
  when   = [for k, v in input.o : k] == ["a", "b"]
  action = "deny"
}
