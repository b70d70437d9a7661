# What the agent of this example may do in its scratch folder.

policy "read_and_list" {
  match   = { operation = "shell" }
  command = ["ls", "cat", "wc"]
  action  = "allow"
}

policy "shell" {
  match  = { operation = "shell" }
  action = "ask"
  reason = "A person looks at every other command."
}

policy "write_notes" {
  match  = { operation = "write_file" }
  path   = ["notes/**"]
  action = "allow"
}

guard "keep_the_plan" {
  match  = { operation = "write_file" }
  path   = ["plan.txt"]
  action = "deny"
  reason = "The plan is not the agent's to change."
}

approvals {
  expires_in = "24h"
}
