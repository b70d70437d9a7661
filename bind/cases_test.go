package bind_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/facts"
	"github.com/plangate/plangate/when"
)

// operations are the tools of the cases.
const operations = `
provider "shell" {
  operation "bash" {
    kind  = "resource"
    risk  = "high"
    roles = { command = ["/command"] }
  }
  operation "terminal_write" {
    kind  = "resource"
    risk  = "high"
    roles = { command = ["/chars"] }
  }
}
provider "filesystem" {
  operation "read" {
    kind  = "data_source"
    risk  = "read_only"
    roles = { path = ["/path"] }
  }
  operation "write" {
    kind  = "resource"
    risk  = "moderate"
    roles = { path = ["/path"] }
  }
}
`

// world is where calls of a test are made.
type world struct {
	workspace, home string
	settings        facts.Settings
}

var nowhere = world{workspace: "/nonexistent/ws", home: "/nonexistent/home"}

// tableOf compiles a policy with the tools above and the built-in guards.
func (w world) tableOf(t testing.TB, policy string) *eval.Table {
	t.Helper()
	known, diags := catalog.Parse("catalog.hcl", []byte(operations))
	file, more := dsl.Parse("agent.hcl", []byte(policy))
	diags = append(diags, more...)
	table, findings := compile.Compile(compile.Input{
		Layers:   []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}},
		Catalog:  known,
		Binder:   bind.Binder{When: when.Language{}, Settings: w.settings},
		Protect:  compile.Protection{On: true},
		Findings: diags,
	})
	if err := findings.Err(); err != nil {
		t.Fatalf("%v\n%s", err, policy)
	}
	return table
}

// decide decides a call of a tool with one argument, both ways.
func (w world) decide(t *testing.T, table *eval.Table, tool, argument string) plangate.Decision {
	t.Helper()
	name := map[string]string{"bash": "command", "terminal_write": "chars", "read": "path", "write": "path"}[tool]
	provider := map[string]string{"bash": "shell", "terminal_write": "shell", "read": "filesystem", "write": "filesystem"}[tool]
	input, err := json.Marshal(map[string]string{name: argument})
	if err != nil {
		t.Fatal(err)
	}
	call := plangate.Call{
		Provider: provider, Operation: tool, Input: input,
		Cwd: w.workspace, Workspace: w.workspace, Home: w.home,
		Session: json.RawMessage(`{"branch":"feature/x"}`), Profile: "agent",
	}
	decision := table.Decide(call)
	if explained := table.Explain(call).Decision; !explained.Equal(decision) {
		t.Errorf("%s %q: Explain says %s, Decide %s", tool, argument, explained.Action(), decision.Action())
	}
	return decision
}

// step is a call with the action that must come out.
type step struct{ tool, argument, want string }

func bash(want string, scripts ...string) []step {
	var steps []step
	for _, script := range scripts {
		steps = append(steps, step{"bash", script, want})
	}
	return steps
}

func join(lists ...[]step) (all []step) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// check decides each step.
func (w world) check(t *testing.T, table *eval.Table, steps []step) {
	t.Helper()
	for _, s := range steps {
		got := w.decide(t, table, s.tool, s.argument)
		if s.want == noAllow && got.Action() != plangate.Allow || got.Action().String() == s.want {
			continue
		}
		t.Errorf("%s %.80q: %s by %s, want %s", s.tool, s.argument, got.Action(), got.DecidedBy(), s.want)
	}
}

// noAllow stands for ask or deny.
const noAllow = "not allow"

func TestCases(t *testing.T) {
	for _, test := range cases {
		t.Run(test.id, func(t *testing.T) {
			nowhere.check(t, nowhere.tableOf(t, test.policy), test.steps)
		})
	}
}

func policy(name, body string) string { return "policy \"" + name + "\" {\n" + body + "\n}\n" }

func allowBash(commands string) string {
	return policy("allowed", `match = { operation = "bash" }
command = [`+commands+`]
action = "allow"`)
}

func denyBash(commands string) string {
	return policy("denied", `match = { operation = "bash" }
command = [`+commands+`]
action = "deny"`)
}

const granted = `agent_profile "agent" {
  grants = ["git-push"]
}
`

var cases = []struct {
	id, policy string
	steps      []step
}{
	{"sh-01", allowBash(`"cd"`), bash("ask", "cd sub && python3 run.py")},
	{"sh-04", allowBash(`"git checkout"`) + denyBash(`"git checkout --", "git restore", "git reset --hard"`), bash("deny",
		"git -C /r checkout -- f", "git --git-dir=/r/.git --work-tree=/r restore f", "git -c core.x=y reset --hard", "git --no-pager reset --hard")},
	{"sh-07", denyBash(`"git push"`) + allowBash(`"gh api"`), join(
		bash("deny", "/bin/zsh -lc 'git push origin main'", "bash -lc 'gh api x && git push'"),
		bash("allow", `bash -c "gh api repos/x/y"`))},
	{"sh-08", denyBash(`"git push"`), bash("deny",
		"timeout 30 bash -c 'cd /w && git push'", "sudo -u ci time nice -n 5 git push", "nohup setsid git push &",
		"xargs -n1 git push < list", "stdbuf -oL git push")},
	{"sh-12", allowBash(`"echo"`), bash("ask", `echo 'a\' ; touch /tmp/p`)},
	{"sh-13", denyBash(`"rm"`), bash("deny", `r\m -rf x`, `r""m -rf x`, `r'm' -rf x`, "r\\\nm -rf x", `$'rm' -rf x`)},
	{"sh-14", denyBash(`"rm -r $HOME", "rm -r /", "rm -r .git"`), bash("deny",
		`rm -rf "$HOME"`, `rm -rf ";" $HOME`, `rm -rf "a&b" "/"`)},
	{"sh-15", allowBash(`"ls", "echo"`), bash("ask", "ls; ./x.sh )", "echo hi; if true", "ls 'unterminated", `echo "$(ls"`)},
	{"sh-18", denyBash(`"rm"`) + allowBash(`"cat", "echo"`), join(
		bash("deny", "echo hi > $(rm x)", "cat < <(rm x)", "cat <<EOF\n$(rm x)\nEOF"),
		bash("allow", "cat <<'EOF'\n$(rm x)\nEOF"))},
	{"sh-19", allowBash(`"git show", "echo"`), bash("ask",
		"git show > ~/.ssh/id_ed25519", "echo x >> .git/hooks/pre-commit", "echo x >| f", "echo x &> f", "git show HEAD:f 2> f")},
	{"sh-21", policy("inside", `match = { operation = ["bash", "write"] }
path = ["**"]
action = "allow"`) + policy("outside", `match = { operation = ["bash", "write"] }
action = "deny"`), join(
		bash("deny", "env > /tmp/out", "echo k >> ~/.ssh/authorized_keys", "tee /tmp/out < f", "printf x > ../sib/f"),
		bash("allow", "tee out < f", "printf x > sub/f"),
		[]step{{"write", "sub/f", "allow"}, {"write", "../f", "deny"}, {"write", "/etc/f", "deny"}})},
	{"sh-22", allowBash(`"gh pr view"`), join(bash("ask", "gh pr view 1\nrm -rf x"), bash("allow", "gh pr view 1"))},
	{"sh-24", allowBash(`"echo", "grep"`), bash("allow",
		"echo 'query { test }'", `echo "a|b|c"`, `grep "x\|y" f`, "echo ';'")},
	{"sh-25", denyBash(`"git push --force"`), join(
		bash("ask", "git push origin batch/obs-fixes", "gh issue create --title t --body 'never run git push -f'", "git push origin feature/x-force"),
		bash("deny", "git push -uf origin x", "git push --force", "git push origin x -f", "git push origin +main", "git push --mirror"))},
	{"sh-26", allowBash(`"git diff", "git log", "git show", "javac -version", "find", "sort", "sed -n"`), join(
		bash("ask", "git diff --output=/home/u/.bashrc HEAD~5", "git log --output /tmp/x",
			"javac -version -processorpath p -processor E T.java", "find . -name x -exec rm {} +", "sort -o f f", "sed -n '1e id' f"),
		bash("allow", "git diff HEAD~5", "git log --oneline", "find . -name x", "sort f", "sed -n 5p f"))},
	{"sh-28", allowBash(`"git * main"`), bash("ask", "git push --force main")},
	{"sh-29", allowBash(`"=python3 script.py"`), join(
		bash("ask", "python3 -c 'import os'", "node -e 1", "npx pkg", "npm run x", "make x", "python3 script.py x"),
		bash("allow", "python3 script.py"))},
	{"sh-30", `guard "push" {
  command = ["git push"]
  action  = "deny"
}
`, join(bash("deny", "git  push origin main", " git push", "\tgit push", "true && git push", "git push\n"),
		[]step{
			{"terminal_write", "git  push origin main", "deny"}, {"terminal_write", " git push", "deny"},
			{"terminal_write", "\tgit push", "deny"}, {"terminal_write", "true && git push", "deny"}, {"terminal_write", "git push\n", "deny"},
		})},
	{"sh-31", granted, bash("allow",
		"git push origin feature/x", "git push -u origin feature/x", "git push -- origin feature/x", "git --no-pager push origin feature/x")},
	{"sh-32", granted, bash("ask",
		"git push origin x; id", "git push origin x && id", "git push origin x | tee l", "git push origin x > l", "git push origin $B",
		`git push origin "$B"`, "git push origin x\nid", "git push \\\norigin x", "git\tpush origin x", "git push origin {a,b}",
		"git push --rece* origin x", "(git push origin x)", "! git push origin x", "A=1 git push origin x", "sh -c 'git push origin x'",
		"/usr/bin/git push origin x", "git push origin x # --dry-run", "'git' push origin x", "git push origin 'unterminated", "",
		"git push origin feature/x; id", "git push origin main")},
	{"sh-35", granted + policy("project", `match = { provider = "filesystem" }
path = ["**"]
action = "allow"`), []step{
		{"write", ".git/hooks/pre-push", "ask"}, {"write", ".git/config", "ask"}, {"write", ".gitmodules", "ask"},
		{"write", "sub/.git/hooks/x", "ask"}, {"write", "src/a.go", "allow"}, {"read", ".git/config", "allow"},
	}},
	{"path-06", policy("env", `match = { operation = "read" }
path = ["**/*.env"]
action = "deny"`), []step{
		{"read", ".env", "deny"}, {"read", "prod.env", "deny"}, {"read", "a/prod.env", "deny"},
		{"read", ".env.local", "allow"}, {"read", "a/.env.production", "allow"},
	}},
	{"path-07", policy("env", `match = { operation = "read" }
path = ["**/.env.*"]
action = "deny"`) + policy("example", `match = { operation = "read", provider = "filesystem" }
path = ["**/.env.example"]
action = "allow"`), []step{
		{"read", ".env.local.example", "deny"}, {"read", ".env.example", "allow"}, {"read", ".envrc", "allow"}, {"read", ".env", "allow"},
	}},
	{"path-09", policy("ws", `match = { operation = "write" }
path = ["**"]
action = "allow"`), []step{
		{"write", `D:\secrets\k`, "ask"}, {"write", "%2e%2e%2fsecret", "ask"}, {"write", "file:///etc/passwd", "ask"}, {"write", `\\server\share\k`, "ask"},
		{"write", "a/b", "allow"},
	}},
	{"path-11", policy("foo", `match = { operation = "read" }
path = ["~//foo/bar"]
action = "deny"`), []step{
		{"read", "/nonexistent/home/foo/bar", "deny"}, {"read", "~/foo/bar", "deny"}, {"read", "~//foo/bar", "deny"}, {"read", "/foo/bar", "allow"},
	}},
	{"path-14", policy("ask", `match = { operation = "bash" }
command = ["rm"]
action = "ask"`) + policy("builds", `match = { operation = "bash", provider = "shell" }
command = ["rm"]
path = ["/tmp/builds/**"]
action = "allow"`) + policy("cd", `match = { operation = "bash" }
command = ["cd"]
action = "allow"`), join(
		bash("allow", "rm /tmp/builds/a", "cd /tmp && rm builds/a"),
		bash("ask", `cd "$D" && rm builds/a`, "cd /tmp/x && rm builds/a", "rm /tmp/a", "rm /tmp/builds/../a"))},
	{"path-16", policy("mkdir", `match = { operation = "bash" }
command = ["mkdir -p"]
path = ["/tmp/claude-*"]
action = "allow"`) + policy("src", `match = { operation = "write" }
path = ["src/*"]
action = "allow"`), join(
		bash("allow", "mkdir -p /tmp/claude-9"),
		bash("ask", "mkdir -p /tmp/claude-9/x", "mkdir -p /tmp/claude-$PPID", "mkdir -p /tmp/claude-1/../../etc/x"),
		[]step{{"write", "src/a/b.go", "ask"}, {"write", "src/a.go", "allow"}})},
	{"path-17", policy("reads", `match = { provider = "filesystem", kind = "data_source" }
action = "allow"`) + `guard "env" {
  path   = ["**/.env*"]
  action = "deny"
}
`, join(
		[]step{{"read", "AGENTS.md", "allow"}, {"read", ".env", "deny"}},
		bash("deny", "cat .env", "sed -n p .env"),
		bash(noAllow, "git show HEAD:.env", `python3 -c "open('.env')"`))},
	{"path-19", policy("look", `match = { operation = "bash" }
command = ["ls", "cat"]
path = ["./**"]
action = "allow"`), join(bash("ask", "ls /tmp", "cat ~/x"), bash("allow", "ls", "ls sub", "cat a/b"))},
}

// TestConventionalRoles holds that the usual names are those of the catalog.
func TestConventionalRoles(t *testing.T) {
	known, diags := catalog.Parse("c.json", []byte(`{"providers":{"p":{"operations":{"o":{"kind":"resource","risk":"low"}}}}}`))
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	o, _ := known.Find("p", "o")
	want := eval.Roles{Command: o.Roles.Command, Path: o.Roles.Path, URL: o.Roles.URL, Cwd: o.Roles.Cwd}
	if diff := cmp.Diff(want, facts.ConventionalRoles()); diff != "" {
		t.Errorf("(-catalog +facts):\n%s", diff)
	}
}
