policy "gate_writes" {
  match  = { provider = "filesystem", kind = "resource" }
  action = "ask"
}
