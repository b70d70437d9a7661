# A policy to begin with behind the hook of an agent CLI. Put it into
# ~/.config/plangate/agent.hcl and change it to your liking; `policyctl explain
# --cli claude Bash 'command=…'` says what it does with a call. Everything that
# stands here only as "ask" you see in the CLI's own prompt.

policy "look" {
  match = { operation = "bash" }
  command = [
    "ls", "cat", "head", "tail", "wc", "stat", "du", "grep", "rg", "find", "diff", "sort", "uniq", "jq", "pwd", "cd", "echo", "true",
    "which", "git status", "git diff", "git log", "git show", "git blame", "git branch", "git rev-parse", "git ls-files",
  ]
  action = "allow"
}

# These run code of the repository, which the agent may have written.
policy "build_and_test" {
  match = { operation = "bash" }
  command = [
    "go build", "go test", "go vet", "gofmt -l", "=make", "=make test", "npm test", "npm run build", "npm run lint",
    "pytest", "ruff check", "mypy", "cargo build", "cargo test", "cargo clippy",
  ]
  action = "allow"
}

policy "workspace_files" {
  match  = { operation = ["write_file", "edit_file"] }
  path   = ["./**"]
  action = "allow"
}

# A guard can only tighten. No policy, however specific, lifts it.
guard "secrets" {
  path   = ["**/.env*", "**/*.pem", "**/*.key", "**/id_*", "**/.ssh/**", "**/.aws/**", "~/.netrc", "~/.npmrc"]
  action = "deny"
  reason = "Secrets stay out of the conversation."
}

guard "destructive" {
  command = ["rm -r /", "rm -r ~", "rm -r .git", "git push --force", "git reset --hard", "git clean -f", "mkfs*", "dd of=/dev/*"]
  action  = "deny"
  reason  = "A human does this."
}
