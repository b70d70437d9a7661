package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/when"
)

const (
	testWorkspace = "/work/proj"
	testHome      = "/home/you"
)

var binder = bind.Binder{When: when.Language{}}

func compiled(t rapid.TB, cli CLI, text string) *eval.Table {
	t.Helper()
	file, diags := dsl.Parse("agent.hcl", []byte(text))
	if diags.HasErrors() {
		t.Fatalf("%s\n%s", text, diags.Error())
	}
	table, diags := compile.Compile(compile.Input{
		Layers:  []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}},
		Catalog: builtin(cli),
	})
	for _, d := range diags {
		if d.Severity == plangate.SeverityError {
			if strings.Contains(d.Code, "conflict") && !strings.Contains(text, "# Imported") {
				return nil
			}
			t.Fatalf("%s\n%s", text, d.Error())
		}
	}
	return table
}

// pick draws one of a few values.
func pick[T any](t *rapid.T, label string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, label)
}

var (
	commandArgs = []string{"git status", "git status -s", "git push", "git push origin main", "git push --force", "rm -rf x", "rm",
		"timeout 3 git status", "xargs git status", "git status && rm x", "git status; git push", "git status > .env", "/tmp/evil/git status",
		"A=1 git status", "sudo rm x", "cat .env", "npm test", "npm run test:unit", "npm test | cat", "git  push", "git log $(rm x)", "git 'push'",
		"git -C x push", "bash -c 'rm x'", "ls", "ls *", "echo \"a", "git status -- *.go", "git status < .env", "find . -exec rm {} ;", "git status &"}
	pathArgs = []string{"/work/proj/src/a.go", "/work/proj/.env", "/work/proj/src/.env", "/work/proj/README.md", "/work/proj/src", "/etc/passwd",
		"/home/you/.ssh/id", "/work/proj/src/b/c.pem", "/work/proj/secrets/x", "/work/other/src/a.go", "/work/proj/README.md/x", "/work/proj/../x"}
	urlArgs = []string{"https://example.com/", "https://example.com/docs/a", "http://example.com", "https://sub.example.com/x", "https://evil.com/example.com",
		"https://example.com@evil.com/", "https://EXAMPLE.com/"}
	servers = []string{"srv", "my_srv", "other", "a", "shell", "external"}
	mcpOps  = []string{"read", "delete_item", "get_x", "b", "bash", "ls", "directory"}
)

// drawCall draws a call of the CLI as its rules see it, and the calls that it is to a policy.
func drawCall(t *rapid.T, cli CLI) (Call, plangate.Call) {
	seen := Call{Workspace: testWorkspace, Home: testHome}
	call := plangate.Call{ID: "1", Provider: string(cli), Workspace: testWorkspace, Home: testHome, Cwd: testWorkspace}
	call.Profile = pick(t, "profile", "", "worker", "reviewer")
	if rapid.IntRange(0, 3).Draw(t, "mcp") == 0 {
		seen.Server, seen.Tool = pick(t, "server", servers...), pick(t, "mcp operation", mcpOps...)
		call.Provider, call.Operation, call.Input = seen.Server, seen.Tool, json.RawMessage(`{}`)
		call.Kind = pick(t, "kind", plangate.KindUnspecified, plangate.Resource, plangate.DataSource)
		return seen, call
	}
	used := pick(t, "tool", toolsOf(cli)...)
	seen.Tool, call.Operation = used.name, pick(t, "operation", used.operations...)
	call.Kind = kindOf(cli, call.Operation)
	key := ""
	switch used.subject {
	case shell:
		key, seen.Arg = "command", pick(t, "command", commandArgs...)
		if used.name == "Bash" && cli == Amp {
			key = "cmd"
		}
	case reads, writes:
		key, seen.Arg = "path", pick(t, "path", pathArgs...)
		if role, ok := builtin(cli).Find(string(cli), call.Operation); ok && len(role.Roles.Path) > 0 {
			key = strings.TrimPrefix(role.Roles.Path[0], "/")
			if i := slices.Index(role.Roles.Path, "/filePath"); i >= 0 {
				key = "filePath"
			}
			if i := slices.Index(role.Roles.Path, "/file_path"); i >= 0 {
				key = "file_path"
			}
			if key == "paths/*" {
				call.Input = json.RawMessage(fmt.Sprintf(`{"paths":[%q]}`, seen.Arg))
				return seen, call
			}
		}
	case fetches:
		key, seen.Arg = "url", pick(t, "url", urlArgs...)
	case spawns:
		key, seen.Arg = "subagent_type", pick(t, "agent", "review", "build")
	case plain:
		call.Input = json.RawMessage(`{}`)
		return seen, call
	}
	text, _ := json.Marshal(map[string]string{key: seen.Arg})
	call.Input = text
	return seen, call
}

var operationNames = []string{"bash", "read_file", "write_file", "edit_file", "web_fetch", "grep", "spawn_agent", "Bash", "Read", "read", "delete_*", "*_file", "get_x", "b"}

func drawPolicy(t *rapid.T, cli CLI) string {
	var b strings.Builder
	for i := range rapid.IntRange(0, 5).Draw(t, "rules") {
		kind := pick(t, "block", "policy", "guard")
		var match []string
		names := operationNames
		if rapid.IntRange(0, 2).Draw(t, "has provider") == 0 {
			provider := pick(t, "provider", append([]string{string(cli), "s*"}, servers...)...)
			match = append(match, fmt.Sprintf("provider = %q", provider))
			if provider != string(cli) {
				names = mcpOps
			}
		}
		if rapid.Bool().Draw(t, "has operation") {
			match = append(match, fmt.Sprintf("operation = %q", pick(t, "operation", names...)))
		}
		if rapid.IntRange(0, 4).Draw(t, "has kind") == 0 {
			match = append(match, fmt.Sprintf("kind = %q", pick(t, "kind", "resource", "data_source")))
		}
		if rapid.IntRange(0, 6).Draw(t, "has risk") == 0 {
			match = append(match, fmt.Sprintf("risk = %q", pick(t, "risk", "high", "low", "read_only")))
		}
		fmt.Fprintf(&b, "%s \"r%d\" {\n  match = { %s }\n", kind, i, strings.Join(match, ", "))
		switch rapid.IntRange(0, 7).Draw(t, "condition") {
		case 0, 1:
			fmt.Fprintf(&b, "  command = [%q]\n", pick(t, "command", "git status", "=git status", "git push", "rm", "npm test", "=npm run test:unit"))
		case 2, 3:
			fmt.Fprintf(&b, "  path = [%q]\n", pick(t, "path", "**/.env", "src/**", "~/.ssh/**", "/etc/**", "README.md", "**/*.pem", "**"))
		case 4:
			fmt.Fprintf(&b, "  host = [%q]\n", pick(t, "host", "example.com", "*.example.com", "*"))
		case 5:
			fmt.Fprintf(&b, "  when = %s\n", pick(t, "when", `call.cwd != ""`, `coalesce(session.x, "") == ""`))
		}
		if rapid.IntRange(0, 5).Draw(t, "has profile") == 0 {
			fmt.Fprintf(&b, "  profiles = [%q]\n", pick(t, "in profile", "worker", "reviewer"))
		}
		if rapid.IntRange(0, 7).Draw(t, "expires") == 0 {
			b.WriteString("  expires = \"2030-01-01T00:00:00Z\"\n")
		}
		actions := []string{"allow", "ask", "deny", "allow", "hook"}
		if kind == "guard" {
			actions = []string{"ask", "deny"}
		}
		fmt.Fprintf(&b, "  action = %q\n}\n", pick(t, "action", actions...))
	}
	if rapid.Bool().Draw(t, "has defaults") {
		fmt.Fprintf(&b, "defaults {\n  resource = %q\n  data_source = %q\n}\n", pick(t, "resource", "allow", "ask", "deny"), pick(t, "data_source", "allow", "ask", "deny"))
	}
	if rapid.Bool().Draw(t, "has a profile") {
		b.WriteString("agent_profile \"worker\" {\n")
		if rapid.Bool().Draw(t, "deny_tools") {
			fmt.Fprintf(&b, "  deny_tools = [%q]\n", pick(t, "denied tool", "bash", "read_file", "mcp__srv__read"))
		}
		if rapid.Bool().Draw(t, "allowed_tools") {
			b.WriteString("  allowed_tools = [\"bash\", \"read_file\"]\n")
		}
		if rapid.Bool().Draw(t, "grants") {
			b.WriteString("  grants = [\"git-push\", \"git-commit\"]\n")
		}
		fmt.Fprintf(&b, "  headless = %v\n}\nagent_profile \"reviewer\" {}\n", rapid.Bool().Draw(t, "headless"))
	}
	return b.String()
}

// TestExportNeverLooser: what exported rules allow the policy allows, and what the policy denies
// they deny, or leave to a question with a loss that says so.
func TestExportNeverLooser(t *testing.T) {
	for _, name := range ExportNames() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkExport(t, CLI(name)) })
		})
	}
}

func checkExport(t *rapid.T, cli CLI) {
	policy := drawPolicy(t, cli)
	table := compiled(t, cli, policy)
	if table == nil {
		return
	}
	opts := ExportOptions{Binder: binder, Workspace: pick(t, "workspace", testWorkspace, ""), Names: []string{"bash", "read_file", "mcp__srv__read"}}
	if slices.Contains(table.Profiles(), "worker") {
		opts.Profile = pick(t, "for profile", "", "worker")
	}
	result, err := Export(cli, table, opts)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := Parse(cli, Source{Name: "out", Text: result.Text})
	if err != nil {
		t.Fatalf("%v\n%s", err, result.Text)
	}
	partial := slices.ContainsFunc(result.Losses, func(l Loss) bool { return l.Effect == Partial })
	again := importAgain(t, cli, result, parsed)
	for range 20 {
		seen, call := drawCall(t, cli)
		if opts.Profile != "" {
			call.Profile = opts.Profile
		}
		got, want := Match(cli, parsed, seen), table.Decide(call).Action()
		switch {
		case got == Allow && want != plangate.Allow:
			t.Fatalf("looser: %+v is %v, by policy %v (%s)\n%s\n%s", seen, got, want, table.Decide(call).DecidedBy(), policy, result.Text)
		case want == plangate.Deny && got != Deny && !partial:
			t.Fatalf("a deny is lost without a word: %+v is %v (%s)\n%s\n%s", seen, got, table.Decide(call).DecidedBy(), policy, result.Text)
		}
		if again != nil {
			compareImport(t, again, seen, call)
		}
	}
}

// importedTable is an imported policy with its text.
type importedTable struct {
	*eval.Table
	text  string
	cli   CLI
	rules []Rule // that it was imported from
}

// importAgain reads what was exported back: the second policy allows no more than the first
// file did.
func importAgain(t *rapid.T, cli CLI, first Result, parsed []Rule) *importedTable {
	if cli == Copilot {
		return nil
	}
	imported, err := Import(cli, Source{Name: "out", Text: first.Text})
	if err != nil {
		t.Fatalf("%v\n%s", err, first.Text)
	}
	return tableOf(t, cli, imported, parsed)
}

func tableOf(t *rapid.T, cli CLI, imported Result, parsed []Rule) *importedTable {
	table := compiled(t, cli, string(imported.Text))
	if table == nil {
		t.Fatalf("the imported policy conflicts:\n%s", imported.Text)
	}
	return &importedTable{table, string(imported.Text), cli, parsed}
}

// compareImport compares a call's decision by an imported policy with the CLI's model.
func compareImport(t *rapid.T, table *importedTable, seen Call, call plangate.Call) {
	cli, parsed := table.cli, table.rules
	decision := table.Decide(call)
	got, want := verdictOf(decision.Action()), Match(cli, parsed, seen)
	if want == None {
		want = Ask
		if cli == Claude && seen.Server == "" && seen.Tool == "Read" {
			want = Allow // in the workspace it needs no permission
		}
		if seen.Server == "" && !slices.Contains([]CLI{Claude, Gemini}, cli) && call.Kind == plangate.Interactive {
			want = Allow
		}
	}
	uncertain := want == Deny && got == Ask && len(decision.Unknown()) > 0
	if got > want && !uncertain {
		t.Fatalf("looser: %+v is %v by %s, by the rules %v\n%+v\n%s", seen, got, decision.DecidedBy(), want, parsed, table.text)
	}
}

// TestImportNeverLooser: what an imported policy allows the rules allow, and what they deny or
// ask about it denies or asks about.
func TestImportNeverLooser(t *testing.T) {
	for _, name := range ImportNames() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				cli := CLI(name)
				text := drawRules(t, cli)
				source := Source{Name: "rules", Text: []byte(text)}
				imported, err := Import(cli, source)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				parsed, err := Parse(cli, source)
				if err != nil {
					t.Fatal(err)
				}
				table := tableOf(t, cli, imported, parsed)
				for range 15 {
					seen, call := drawCall(t, cli)
					compareImport(t, table, seen, call)
				}
			})
		})
	}
}

var commandGlobs = []string{"git status", "git status *", "git *", "git push *", "rm *", "rm*", "git * main", "npm run test*", "*", "* -rf *", "npm test", "*push*", "git status; rm *", "git 'x' *"}
var pathGlobs = []string{"src/*", "src/**", "*.env", "**/.env", "README.md", "*.md", "~/.ssh/*", "/etc/*", "*secret*", "src", "./src/**", "*"}

func drawRules(t *rapid.T, cli CLI) string {
	n := rapid.IntRange(0, 6).Draw(t, "rules")
	var b strings.Builder
	switch cli {
	case Claude:
		lists := map[string][]string{"allow": {}, "ask": {}, "deny": {}}
		for range n {
			key := pick(t, "list", "allow", "ask", "deny", "allow")
			lists[key] = append(lists[key], drawClaudeRule(t))
		}
		text, _ := json.Marshal(map[string]any{"permissions": lists})
		return string(text)
	case Codex:
		for range n {
			fmt.Fprintf(&b, "prefix_rule(pattern=%s, decision=%q)\n", pick(t, "pattern", `["git", "status"]`, `["git", ["push", "fetch"]]`, `["git"]`, `["rm"]`, `["npm", "test"]`, `["rm", "-rf"]`, `["echo x"]`),
				pick(t, "decision", "allow", "prompt", "forbidden"))
		}
		return b.String()
	case Gemini:
		for range n {
			fmt.Fprintf(&b, "[[rule]]\n%s\ndecision = %q\npriority = %d\n",
				pick(t, "what", `toolName = "run_shell_command"`, "toolName = \"run_shell_command\"\ncommandPrefix = \"git status\"",
					"toolName = \"run_shell_command\"\ncommandPrefix = [\"git push\", \"rm\"]", `toolName = ["read_file", "write_file"]`,
					"toolName = \"read_file\"\nargsPattern = '\\.env'", `toolName = "*"`, `mcpName = "srv"`, `toolName = "mcp_srv_*"`,
					"mcpName = \"srv\"\ntoolName = \"read\"", `toolName = "mcp_my_srv_get_x"`, "toolName = \"replace\"\nmodes = [\"plan\"]"),
				pick(t, "decision", "allow", "ask_user", "deny"), rapid.IntRange(0, 999).Draw(t, "priority"))
		}
		return b.String()
	case OpenCode:
		var permission object
		used := map[string]bool{}
		for range n {
			key := pick(t, "key", "*", "bash", "read", "edit", "webfetch", "srv_*", "srv_read", "my_srv_get_x", "task", "a_b", "web*")
			if used[key] {
				continue
			}
			used[key] = true
			patterns := commandGlobs
			switch key {
			case "read", "edit":
				patterns = pathGlobs
			case "webfetch":
				patterns = []string{"https://example.com/*", "*", "https://example.com/docs/*", "http*"}
			}
			if rapid.Bool().Draw(t, "simple") || !slices.Contains([]string{"bash", "read", "edit", "webfetch"}, key) {
				permission.add(key, pick(t, "action", "allow", "ask", "deny"))
				continue
			}
			var inner object
			for _, pattern := range rapid.SliceOfNDistinct(rapid.SampledFrom(patterns), 1, 4, rapid.ID[string]).Draw(t, "patterns") {
				inner.add(pattern, pick(t, "action", "allow", "ask", "deny"))
			}
			permission.add(key, inner.raw())
		}
		var root object
		root.add("permission", permission.raw())
		return string(root.raw())
	default:
		list := []any{}
		for range n {
			rule := map[string]any{"tool": pick(t, "tool", "Bash", "shell_command", "Read", "edit_file", "*", "mcp__srv__*", "mcp__srv__read", "mcp__*", "apply_patch", "Task"),
				"action": pick(t, "action", "allow", "ask", "reject")}
			switch rule["tool"] {
			case "Bash", "shell_command":
				if rapid.Bool().Draw(t, "matches") {
					rule["matches"] = map[string]any{"cmd": pick(t, "cmd", commandGlobs...)}
				}
			case "Read", "edit_file":
				if rapid.Bool().Draw(t, "matches") {
					rule["matches"] = map[string]any{"path": pick(t, "path", pathGlobs...)}
				}
			}
			list = append(list, rule)
		}
		text, _ := json.Marshal(map[string]any{"amp.permissions": list})
		return string(text)
	}
}

func drawClaudeRule(t *rapid.T) string {
	switch rapid.IntRange(0, 5).Draw(t, "kind of rule") {
	case 0, 1:
		return "Bash(" + pick(t, "command", append([]string{"git status:*", "rm:*", "run_in_background:true"}, commandGlobs...)...) + ")"
	case 2:
		return pick(t, "file tool", "Read", "Edit", "Write") + "(" + pick(t, "path", "./src/**", "/src/**", "//etc/**", "~/.ssh/**", ".env", "*.pem", "src/", "README.md", "src/*.go", "[ab]") + ")"
	case 3:
		return "WebFetch(domain:" + pick(t, "domain", "example.com", "*.example.com", "EXAMPLE.com") + ")"
	case 4:
		return pick(t, "mcp", "mcp__srv", "mcp__srv__*", "mcp__srv__read", "mcp__*__delete_item", "mcp__my_srv__get_x", "mcp__*", "mcp__srv__get*", "mcp__srv__*x")
	default:
		return pick(t, "tool", "Bash", "Read", "Edit", "Write", "WebFetch", "Agent", "Agent(review)", "Skill", "NotebookEdit", "bash", "TodoWrite", "*")
	}
}
