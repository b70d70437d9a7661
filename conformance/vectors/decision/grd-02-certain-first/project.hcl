guard "project" {
  match  = { operation = ["a", "c"] }
  action = "ask"
}

guard "worker" {
  match    = { operation = "c" }
  profiles = ["worker"]
  action   = "ask"
}
