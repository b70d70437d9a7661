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

# What follows is covered too, except for arguments that write or run, as find -delete.
policy "look" {
  match = { operation = "bash" }
  command = [
    "ls", "cat", "head", "tail", "wc", "nl", "stat", "du", "df", "realpath", "readlink", "basename", "dirname", "grep",
    "egrep", "cmp", "cut", "tr", "column", "comm", "paste", "jq", "sha256sum", "cd", "pwd", "echo",
    "test", "[", "true", "false", ":", "exit", "sleep", "seq", "which", "type", "command -v", "=set -e", "=set -euo pipefail",
    "whoami", "id", "uname", "=hostname", "nproc", "free", "ps", "lsof", "pgrep", "rustc --version", "cargo --version", "pip --version",
    "=python --version", "=python3 --version", "=node --version", "=node -v", "=npm --version", "=npm -v", "=docker --version", "=java -version",
    "docker ps", "docker images", "docker logs", "docker inspect", "docker compose ps", "docker compose logs", "kubectl get pods",
    "kubectl get services", "kubectl get deployments", "kubectl describe pod", "kubectl logs", "kubectl config current-context", "terraform validate",
  ]
  action = "allow"
}

policy "look_at_git" {
  match = { operation = "bash" }
  command = [
    "git status", "git diff", "git log", "git show", "git blame", "git branch", "git rev-parse", "git rev-list", "git ls-files", "git ls-tree",
    "git shortlog", "git grep", "git describe", "git merge-base", "git check-ignore", "git stash list", "git stash show", "git worktree list",
    "git remote -v", "=git remote", "git remote get-url", "=git tag", "git tag -l", "git config --get", "git config --list", "=git config user.name",
    "=git reflog", "git --no-pager diff", "=git fetch", "git fetch origin", "git fetch --all", "git --no-pager log", "git --no-pager show",
  ]
  action = "allow"
}

# These run code of the repository, which the agent may have written.
policy "build_and_test" {
  match = { operation = "bash" }
  command = [
    "go build", "go test", "go vet", "go list", "go doc", "go env", "go version", "go mod tidy", "=go mod download", "go mod verify", "gofmt -l",
    "gofmt -d", "=go build -o /dev/null ./...", "golangci-lint run", "staticcheck", "=make", "=make build", "=make test", "=make lint", "=make check",
    "shellcheck", "npm test", "npm run build", "npm run lint", "npm run test", "npm run typecheck", "npm ci", "npm ls", "npm outdated", "pnpm test",
    "pnpm build", "pnpm lint", "yarn test", "yarn build", "yarn lint", "tsc --noEmit", "vitest run", "prettier --check",
    "=npx tsc --noEmit", "=npx eslint .", "=npx jest", "=npx vitest run", "=npx prettier --check .", "=uv run pytest", "=poetry run pytest",
    "cargo build", "cargo test", "cargo check", "cargo clippy", "cargo fmt --check", "cargo tree", "cargo metadata", "mvn test", "pip list",
    "pip show", "python -m pytest", "python3 -m pytest", "ruff check", "ruff format --check", "black --check",
  ]
  action = "allow"
}

policy "own_server" {
  match   = { operation = "bash" }
  command = ["curl"]
  host    = ["localhost", "127.0.0.1"]
  action  = "allow"
}

policy "git_work" {
  match   = { operation = "bash" }
  command = ["git add", "git commit", "git switch", "git checkout -b", "git stash push", "=git stash", "git tag -a"]
  action  = "allow"
}

# With a path, a policy also covers redirections and the options that it names.
policy "workspace_files" {
  match = { operation = "bash" }
  command = [
    "mkdir", "touch", "git mv", "cp", "mv", "chmod +x", "sed -i", "sed -i.bak", "gofmt -w", "go fmt", "cargo fmt", "prettier --write", "eslint --fix",
    "ruff format", "black", "go build -o", "go test -coverprofile=*", "go test -cpuprofile=*", "go test -c", "go tool cover -func=*", "sort -o",
    "echo", "printf", "cat", "sort", "jq", "ls", "head", "tail", "grep", "sed -n", "find", "git diff", "git log", "git show", "go test", "go list",
    "npm test", "npm run build", "pytest", "eslint", "jest", "mypy", "flake8", "cargo test", "=make test", "date", "diff",
    "file", "tree", "fd", "rg", "uniq", "sed", "awk",
  ]
  path   = ["./**"]
  action = "allow"
}

policy "build_output" {
  match   = { operation = "bash" }
  command = ["rm"]
  path    = ["build/**", "dist/**", "out/**", "bin/**", "target/**", "coverage/**", "node_modules/**", "**/__pycache__/**", "tmp/**"]
  action  = "allow"
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

# A guard has no exceptions, so the names are listed: .env.example is not one.
guard "secrets" {
  path = [
    "**/.env", "**/.envrc", "**/.env.local", "**/.env.*.local", "**/.env.dev*", "**/.env.stag*", "**/.env.prod*", "**/*.pem", "**/*.key",
    "**/id_rsa*", "**/id_ed25519*", "**/id_ecdsa*", "**/.ssh/**", "**/.aws/**", "~/.gnupg/**", "~/.kube/**", "~/.netrc", "~/.npmrc", "~/.pypirc",
  ]
  action = "deny"
}

guard "destructive" {
  command = ["rm -r /", "rm -r ~", "rm -r .git", "git push --force", "mkfs*", "dd of=/dev/*"]
  action  = "deny"
}

guard "discards_work" {
  command = ["git reset --hard", "git clean -f", "git checkout -f", "git switch -f", "git switch --discard-changes", "git stash drop"]
  action  = "ask"
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
