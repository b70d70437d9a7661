# What a coding agent may do in a repository. The operations are those of
# catalog.json, the calls of a short session are in calls.jsonl.

policy "auto_approve_reads" {
  match  = { kind = "data_source" }
  action = "allow"
}

# The most specific policy wins: this one names a provider, the one above does
# not.
policy "offline" {
  match  = { provider = "web" }
  action = "deny"
  reason = "This repository is worked on offline."
}

policy "gate_filesystem_writes" {
  match  = { provider = "filesystem", kind = "resource" }
  action = "ask"
}

policy "gate_shell" {
  match  = { operation = "bash" }
  action = "ask"
  reason = "Commands run with the rights of the developer."
}

policy "task_list" {
  match  = { provider = "tasks", operation = ["task_create", "task_update"] }
  action = "allow"
}

# A guard can only tighten. No policy, however specific, lifts it.
guard "nothing_critical" {
  match  = { risk = "critical" }
  action = "deny"
  reason = "Nothing critical runs without a change of this file."
}

# What no policy matches. These are the built-in values.
defaults {
  resource    = "ask"
  data_source = "allow"
  interactive = "allow"
}

# A run with nobody to ask: every ask is a deny, and says so.
agent_profile "ci" {
  headless   = true
  deny_tools = ["bash"]
}

# A reviewer reads, and does nothing else.
agent_profile "reviewer" {
  headless      = true
  allowed_tools = ["read_file", "glob", "grep"]
}
