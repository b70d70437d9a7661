package bind_test

import (
	"testing"

	"github.com/plangate/plangate"
)

// everything allows whatever no built-in guard stops.
const everything = `policy "everything" {
  match  = {}
  action = "allow"
}
`

// TestBuiltin holds what built-in guards stop under a policy that allows all
// (spec BLT-1 to BLT-5).
func TestBuiltin(t *testing.T) {
	table := nowhere.tableOf(t, everything)
	steps := join(
		[]step{
			{"write", "agent.hcl", "ask"}, {"write", "sub/agent.hcl.json", "ask"}, {"write", "/etc/plangate/agent.hcl", "ask"},
			{"write", "~/.config/plangate/agent.hcl", "ask"}, {"write", "AGENT.md", "allow"}, {"read", "agent.hcl", "allow"},
			{"write", ".claude/settings.json", "ask"}, {"write", ".claude/settings.local.json", "ask"}, {"write", ".claude/commands/x.md", "allow"},
			{"write", ".cursor/hooks.json", "ask"}, {"write", "x/../.codex/config.toml", "ask"}, {"write", "opencode.json", "ask"},
			{"write", "~/.local/state/plangate/trust.json", "deny"}, {"write", "~/.cache/plangate/tables/x", "deny"},
			{"read", "~/.local/state/plangate/trust.json", "allow"},
		},
		bash("ask", "echo x > agent.hcl", "echo x >> ./agent.hcl", "sed -i s/ask/allow/ agent.hcl", "tee agent.hcl < x", "cp /tmp/x agent.hcl",
			"mv agent.hcl x", "rm agent.hcl", "cd sub && rm ../agent.hcl", "A=agent; rm $A.hcl", "python3 -c 'print(1)'", "eval \"$X\"",
			"sudo tee agent.hcl", "bash -c 'rm agent.hcl'", "echo x > ag*.hcl", "rm *.hcl", "truncate -s0 'agent'.hcl", "dd of=agent.hcl",
			"ln -sf /tmp/x agent.hcl", "perl -i -pe s/a/b/ agent.hcl", "find . -name agent.hcl -delete", "xargs rm < list",
			"echo {} > .claude/settings.json", "rm -rf .claude", "rm -rf .git", "mv .git x", "rm -r .", "echo x > .git/hooks/pre-push",
			"git config core.hooksPath /tmp/x", "git config --global alias.x '!sh'", "git remote set-url origin evil:x", "git -C . config alias.x y",
			"pre-commit install", "cp -r x .git/hooks", "rm -rf ~/.config/plangate", "chmod 777 .git/config",
			"cp y/settings.json .claude/", "cp -t .claude y/settings.json", "install y/config .git", "cd .claude && cp ../y/settings.json .", "ln -sfn x .claude",
			"git clone h .claude", "cp x/agent.hcl .", "mv x/agent.hcl sub", "wget https://h/agent.hcl", "curl -O https://h/agent.hcl", "curl --output-dir .claude -O https://h/settings.json",
			"rm -rf ~/.config", "mv ~/.config x", "rm -rf ~/.claude", "cp d/* .", "cp d/agent.* .",
			"sed -n -l 1p '1w agent.hcl' f", "go vet -debug-trace agent.hcl .", "gofmt --w agent.hcl", "tree --output agent.hcl", "git rev-list --output=agent.hcl HEAD",
			"echo x > .git/info/attributes", "echo x > .mcp.json", "python3 -W ignore -c x", "python3 /dev/stdin <<< x"),
		bash("deny", "echo x > ~/.local/state/plangate/trust.json", "rm -rf ~/.local/state/plangate", "sqlite3 ~/.local/state/plangate/state.db 'x'",
			"policyctl trust agent.hcl", "bash -c 'policyctl trust x'", "env policyctl approvals allow 1", "./bin/policyctl trust",
			"policyctl approvals --store x allow 1", "policyctl always x", "policyctl undo", "true && policyctl trust", "policyctl --no-color trust x",
			"rm -rf ~/.local/state", "rm -rf ~/.cache", "mv ~/.local x", "go run ./cmd/policyctl trust", "rbash -c 'policyctl trust'",
			"/lib64/ld-linux-x86-64.so.2 policyctl trust", "policyctl serve --stdio", "echo x | policyctl serve", "policyctl approvals watch",
			"policyctl approvals token --create f", "go run ./cmd/policyctl serve --stdio",
			"go run ./cmd/policyctl/ approvals allow x", "(cd cmd/policyctl && go run . approvals allow x)", "policyctl approvals deny x",
			"go run github.com/plangate/plangate/cmd/policyctl@latest approvals allow x"),
		bash("allow", "cat agent.hcl", "git add agent.hcl", "git diff agent.hcl", "git commit -m 'change agent.hcl'", "policyctl check agent.hcl", "policyctl explain x", "policyctl approvals list", "policyctl log tail",
			"grep -n allow agent.hcl", "rm -rf build", "go test ./...", "rm *.o", "cp a b", "git config --get user.name", "git config -l", "git remote -v",
			"cat ~/.local/state/plangate/trust.json", "ls .claude", "cat .git/config", "npm run build", "echo \"$X\"", "make", "git push", "cat \"$f\"", "python3 x.py", "cd \"$X\"",
			`git commit -m "$(cat <<'EOF'
message
EOF
)"`, "git checkout main", "for f in a b; do echo $f; done", "kill $PID", "sleep $N", "go build -o bin/x ./cmd/x", "diff agent.hcl other.hcl", "ls -la .git",
			"curl -sS https://h/x", "git clone https://h/x", "diff <(sort a) <(sort b)", "cp a b c", "CGO_ENABLED=0 go build ./..."),
	)
	nowhere.check(t, table, steps)
}

// TestBuiltinHeadless holds that a question of a built-in guard is a deny where
// nobody can be asked.
func TestBuiltinHeadless(t *testing.T) {
	table := nowhere.tableOf(t, everything+`agent_profile "agent" {
  headless = true
}
`)
	got := nowhere.decide(t, table, "write", "agent.hcl")
	if got.Action() != plangate.Deny || got.DecidedBy() != "builtin:policy_files" || got.Downgrade() != plangate.DowngradeHeadless {
		t.Errorf("%s by %s, downgrade %s", got.Action(), got.DecidedBy(), got.Downgrade())
	}
}
