policy "pushes" {
  match  = { operation = "bash" }
  when   = input.push == true
  action = "ask"
}
