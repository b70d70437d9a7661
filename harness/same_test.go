package harness_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/harness"
)

const samePolicy = `
policy "git" {
  match   = { operation = "bash" }
  command = ["git status", "git diff", "go test"]
  action  = "allow"
}
policy "no_curl" {
  match   = { operation = "bash" }
  command = ["curl"]
  action  = "deny"
}
policy "source" {
  match  = { operation = ["write_file", "edit_file"] }
  path   = ["src/**"]
  action = "allow"
}
policy "docs" {
  match  = { operation = "web_fetch" }
  action = "deny"
}
policy "rig" {
  match  = { operation = "look", provider = "rig" }
  action = "allow"
}
guard "secrets" {
  path   = ["**/.env"]
  action = "deny"
}
guard "wipe" {
  match  = { provider = "rig", operation = "wipe" }
  action = "deny"
}
`

// table compiles a policy with the catalog of one CLI.
func table(t testing.TB, cli, text string) *eval.Table {
	t.Helper()
	file, diags := dsl.Parse("agent.hcl", []byte(text))
	built, all := compile.Compile(compile.Input{
		Layers:   []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}},
		Catalog:  catalog.Builtin(cli),
		Protect:  compile.Protection{On: true},
		Findings: diags,
	})
	if all.HasErrors() {
		t.Fatal(all)
	}
	return built
}

// toolOf returns a CLI's tool and arguments for an operation on one text, or false if
// the CLI shows no such call to its hook.
func toolOf(cli, operation, text string) (tool, input string, ok bool) {
	type form struct{ tool, argument string }
	forms := map[string]map[string]form{
		"claude": {"bash": {"Bash", "command"}, "read_file": {"Read", "file_path"}, "write_file": {"Write", "file_path"},
			"edit_file": {"Edit", "file_path"}, "web_fetch": {"WebFetch", "url"}, "mcp": {"mcp__rig__" + text, ""}},
		"codex": {"bash": {"Bash", "command"}, "read_file": {"view_image", "path"}, "write_file": {"apply_patch", "*Add"},
			"edit_file": {"apply_patch", "*Update"}, "mcp": {"mcp__rig__" + text, ""}},
		"cursor": {"bash": {"Shell", "command"}, "read_file": {"Read", "path"}, "write_file": {"Write", "path"}, "edit_file": {"Write", "path"}},
		"gemini": {"bash": {"run_shell_command", "command"}, "read_file": {"read_file", "file_path"}, "write_file": {"write_file", "file_path"},
			"edit_file": {"replace", "file_path"}, "web_fetch": {"web_fetch", "prompt"}, "mcp": {"mcp_rig_" + text, ""}},
		"copilot": {"bash": {"bash", "command"}, "read_file": {"view", "path"}, "write_file": {"create", "path"},
			"edit_file": {"edit", "path"}, "web_fetch": {"web_fetch", "url"}, "mcp": {"rig-" + text, ""}},
		"opencode": {"bash": {"bash", "command"}, "read_file": {"read", "filePath"}, "write_file": {"write", "filePath"},
			"edit_file": {"edit", "filePath"}, "web_fetch": {"webfetch", "url"}, "mcp": {"rig_" + text, ""}},
		"amp": {"bash": {"Bash", "cmd"}, "read_file": {"Read", "path"}, "write_file": {"create_file", "path"},
			"edit_file": {"edit_file", "path"}, "web_fetch": {"read_web_page", "url"}, "mcp": {"mcp__rig__" + text, ""}},
	}
	f, ok := forms[cli][operation]
	argument, value := f.argument, text
	switch f.argument {
	case "":
		argument, value = "what", "a"
	case "*Add", "*Update":
		argument, value = "command", "*** Begin Patch\n*** "+f.argument[1:]+" File: "+text+"\n+x\n*** End Patch\n"
	}
	encoded, _ := json.Marshal(map[string]string{argument: value, "description": "look at .env"})
	return f.tool, string(encoded), ok
}

// sameCalls are the calls that every CLI is asked about.
func sameCalls() (calls [][2]string) {
	add := func(operation string, texts ...string) {
		for _, text := range texts {
			calls = append(calls, [2]string{operation, text})
		}
	}
	add("bash", "git status", "git diff HEAD", "git status && rm -rf x", "curl http://x", "env curl x", "cat .env", "cat ./a/../.env",
		"go test ./...", "go test > out", "rm x", "$(x)", "git status | curl x", "A=1 git status", "", "bash -c 'git status'",
		"echo > .claude/settings.json", "rm .cursor/hooks.json", "policyctl trust", "sudo curl x", "if true; then git status; fi")
	for i := range 60 {
		add("bash", fmt.Sprintf("git status %d", i), fmt.Sprintf("make target%d", i))
	}
	for _, operation := range []string{"read_file", "write_file", "edit_file"} {
		add(operation, "src/a.go", "/workspace/src/b.go", "src/../.env", "/workspace/.env", "README.md", "../out", "/etc/passwd",
			"src/.env", ".claude/settings.json", ".cursor/hooks.json", "/workspace/.codex/config.toml", "agent.hcl", "src/a/b/c.txt", "src", "~/x", ".git/config", "src/x y")
	}
	add("web_fetch", "https://example.com/", "http://127.0.0.1/x")
	add("mcp", "look", "wipe", "other")
	return calls
}

// TestSameDecision: the same call gets the same decision through every adapter, and the
// description beside it is not read as a path.
func TestSameDecision(t *testing.T) {
	tables := map[string]*eval.Table{}
	for _, cli := range harness.Names() {
		tables[cli] = table(t, cli, samePolicy)
	}
	calls, seen := sameCalls(), map[plangate.Action]int{}
	if len(calls) < 190 {
		t.Fatalf("only %d calls", len(calls))
	}
	for _, call := range calls {
		var want plangate.Decision
		from := ""
		for _, cli := range harness.Names() {
			tool, input, ok := toolOf(cli, call[0], call[1])
			if !ok {
				continue
			}
			req := read(t, cli, [2]string{tool, input})
			var got plangate.Decision
			for i, one := range req.Calls {
				one.Workspace, one.Home, one.Time = "/workspace", "/home/user", time.Time{}
				if decision := tables[cli].Decide(one); i == 0 || decision.StricterThan(got) {
					got = decision
				}
			}
			if from == "" {
				want, from = got, cli
				seen[got.Action()]++
			}
			if got.Action() != want.Action() || got.DecidedBy() != want.DecidedBy() {
				t.Errorf("%q: %s says %s by %s, %s says %s by %s", call, from, want.Action(), want.DecidedBy(), cli, got.Action(), got.DecidedBy())
			}
		}
	}
	for _, action := range []plangate.Action{plangate.Deny, plangate.Ask, plangate.Allow} {
		if seen[action] < 10 {
			t.Errorf("only %d calls get %s", seen[action], action)
		}
	}
}

// TestOwnNames (name-04): a rule under the CLI's own name of a tool means the operation.
func TestOwnNames(t *testing.T) {
	for _, test := range []struct{ cli, name, tool, input string }{
		{"claude", "Bash", "Bash", `{"command":"x"}`}, {"cursor", "Write", "Write", `{"path":"x"}`},
		{"codex", "apply_patch", "apply_patch", `{"command":"*** Add File: x\n"}`}, {"opencode", "write", "write", `{"filePath":"x"}`},
		{"opencode", "apply_patch", "patch", `{"patchText":"*** Add File: x\n"}`}, {"gemini", "replace", "replace", `{"file_path":"x"}`},
		{"copilot", "edit", "edit", `{"path":"x"}`}, {"amp", "shell_command", "shell_command", `{"command":"x"}`},
	} {
		denied := table(t, test.cli, fmt.Sprintf(`policy "p" {
  match  = { operation = %q }
  action = "deny"
}`, test.name))
		refused := false
		for _, call := range read(t, test.cli, [2]string{test.tool, test.input}).Calls {
			refused = refused || denied.Decide(call).DecidedBy() == "policy:p"
		}
		if !refused {
			t.Errorf("%s: a deny of %s does not reach the tool %s", test.cli, test.name, test.tool)
		}
	}
}
