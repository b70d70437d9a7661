package harness_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
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

// A form is one way in which a CLI tells its hook of an operation: a capture of the real
// program, in which tool and arguments are replaced.
type form struct {
	capture  string // below testdata/CLI; for Cursor, of which there are none, an event
	tool     string // for MCP the beginning of it
	argument string // that holds the text; "" for MCP, *Add and *Update for a patch
}

// formsOf returns all forms that a CLI has for an operation, none if it has no such tool or
// shows it to no hook.
func formsOf(cli, operation string) []form {
	return map[string]map[string][]form{
		"claude": {
			"bash":      {{"PreToolUse-Bash", "Bash", "command"}, {"PreToolUse-Bash-subagent", "Bash", "command"}, {"PermissionRequest-Bash", "Bash", "command"}},
			"read_file": {{"PreToolUse-Read", "Read", "file_path"}}, "edit_file": {{"PreToolUse-Edit", "Edit", "file_path"}},
			"write_file": {{"PreToolUse-Write", "Write", "file_path"}, {"PermissionRequest-Write", "Write", "file_path"}},
			"web_fetch":  {{"PreToolUse-WebFetch", "WebFetch", "url"}}, "mcp": {{"PreToolUse-mcp__rig__look", "mcp__rig__", ""}},
		},
		"codex": {
			"bash":      {{"PreToolUse-Bash", "Bash", "command"}, {"PreToolUse-Bash-subagent", "Bash", "command"}, {"PermissionRequest-Bash", "Bash", "command"}},
			"read_file": {{"PreToolUse-view_image", "view_image", "path"}}, "write_file": {{"PreToolUse-apply_patch", "apply_patch", "*Add"}},
			"edit_file": {{"PreToolUse-apply_patch", "apply_patch", "*Update"}},
			"mcp":       {{"PreToolUse-mcp__rig__look", "mcp__rig__", ""}, {"PermissionRequest-mcp__rig__wipe", "mcp__rig__", ""}},
		},
		"cursor": {
			"bash":      {{"preToolUse", "Shell", "command"}, {"beforeShellExecution", "", "command"}},
			"read_file": {{"preToolUse", "Read", "path"}, {"beforeReadFile", "", "file_path"}}, "write_file": {{"preToolUse", "Write", "path"}},
			"edit_file": {{"preToolUse", "Write", "path"}}, "mcp": {{"preToolUse", "MCP:", ""}, {"beforeMCPExecution", "", ""}},
		},
		"gemini": {
			"bash": {{"BeforeTool-run_shell_command", "run_shell_command", "command"}}, "read_file": {{"BeforeTool-read_file", "read_file", "file_path"}},
			"write_file": {{"BeforeTool-write_file", "write_file", "file_path"}}, "edit_file": {{"BeforeTool-replace", "replace", "file_path"}},
			"web_fetch": {{"BeforeTool-web_fetch", "web_fetch", "prompt"}}, "mcp": {{"BeforeTool-mcp_rig_look", "mcp_rig_", ""}},
		},
		"copilot": {
			"bash": {{"preToolUse-bash", "bash", "command"}, {"preToolUse-bash-subagent", "bash", "command"}, {"permissionRequest-bash", "bash", "command"},
				{"PreToolUse-Bash", "Bash", "command"}},
			"read_file":  {{"preToolUse-view", "view", "path"}},
			"write_file": {{"preToolUse-create", "create", "path"}, {"permissionRequest-edit", "edit", "file_path"}, {"PreToolUse-Write", "Write", "path"}},
			"edit_file":  {{"preToolUse-edit", "edit", "path"}, {"permissionRequest-edit", "edit", "file_path"}},
			"web_fetch":  {{"preToolUse-view", "web_fetch", "url"}},
			"mcp":        {{"preToolUse-rig-look", "rig-", ""}, {"permissionRequest-rig_look", "rig/", ""}, {"PreToolUse-rig-wipe", "rig-", ""}},
		},
		"opencode": {
			"bash": {{"tool.execute.before-bash", "bash", "command"}}, "read_file": {{"tool.execute.before-read", "read", "filePath"}},
			"write_file": {{"tool.execute.before-write", "write", "filePath"}}, "edit_file": {{"tool.execute.before-edit", "edit", "filePath"}},
			"web_fetch": {{"tool.execute.before-webfetch", "webfetch", "url"}}, "mcp": {{"tool.execute.before-rig_look", "rig_", ""}},
		},
		"amp": {
			"bash": {{"delegate-Bash", "Bash", "cmd"}, {"delegate-Bash", "shell_command", "command"}}, "read_file": {{"delegate-Bash", "Read", "path"}},
			"write_file": {{"delegate-Bash", "create_file", "path"}}, "edit_file": {{"delegate-Bash", "edit_file", "path"}},
			"web_fetch": {{"delegate-Bash", "read_web_page", "url"}}, "mcp": {{"delegate-Bash", "mcp__rig__", ""}},
		},
	}[cli][operation]
}

// callsOf reads an operation on a text as the CLI tells it in a form.
func (f form) callsOf(t *testing.T, cli, text string) []plangate.Call {
	t.Helper()
	tool, argument, value := f.tool, f.argument, text
	switch f.argument {
	case "":
		tool, argument, value = f.tool+text, "what", "a"
	case "*Add", "*Update":
		argument, value = "command", "*** Begin Patch\n*** "+f.argument[1:]+" File: "+text+"\n+x\n*** End Patch\n"
	}
	input := map[string]any{argument: value, "description": "look at .env"}
	var payload map[string]any
	in := harness.Input{Now: noon, Dir: "/workspace"}
	switch cli {
	case "cursor":
		payload, in.Servers = cursorPayload(f.capture, tool, input), []string{"rig"}
	case "amp":
		payload = input
		in.Getenv = func(name string) string { return map[string]string{"AGENT": "amp", "AGENT_TOOL_NAME": tool}[name] }
	default:
		payload = captured(t, cli, f.capture)
		replace(payload, tool, input)
	}
	in.Payload, _ = json.Marshal(payload) // it came from JSON
	h, _ := harness.Find(cli)
	req, err := h.Read(in)
	if err != nil {
		t.Fatalf("%s %s %q: %v", cli, f.capture, text, err)
	}
	return req.Calls
}

func captured(t *testing.T, cli, name string) (payload map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", cli, name+".json"))
	if err == nil {
		err = json.Unmarshal(text, &payload)
	}
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// replace puts another tool and other arguments wherever the payload of a CLI has them.
func replace(payload map[string]any, tool string, input map[string]any) {
	for name, value := range map[string]any{"tool_name": tool, "toolName": tool, "tool_input": input, "toolInput": input, "toolArgs": input} {
		if _, ok := payload[name]; ok {
			payload[name] = value
		}
	}
	if inner, ok := payload["input"].(map[string]any); ok {
		inner["tool"] = tool
	}
	if inner, ok := payload["output"].(map[string]any); ok {
		inner["args"] = input
	}
	if inner, ok := payload["mcp_context"].(map[string]any); ok {
		inner["tool_name"] = strings.TrimPrefix(tool, "mcp_rig_")
	}
}

// cursorPayload is what Cursor's documentation says of an event.
func cursorPayload(event, tool string, input map[string]any) map[string]any {
	payload := map[string]any{
		"conversation_id": "c", "generation_id": "g", "model": "m", "hook_event_name": event, "cursor_version": "1",
		"workspace_roots": []string{"/workspace"}, "user_email": nil, "transcript_path": nil,
	}
	var more map[string]any
	switch event {
	case "beforeShellExecution":
		more = map[string]any{"command": input["command"], "cwd": "", "sandbox": false}
	case "beforeReadFile":
		more = map[string]any{"file_path": input["file_path"], "content": "x", "attachments": []any{}}
	case "beforeMCPExecution":
		text, _ := json.Marshal(input) // strings only
		more = map[string]any{"tool_name": tool, "tool_input": string(text), "command": "python3 server.py"}
	default:
		more = map[string]any{"tool_name": tool, "tool_input": input, "tool_use_id": "t", "cwd": "/workspace", "agent_message": ""}
	}
	maps.Copy(payload, more)
	return payload
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
	for i := range 65 {
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

// TestSameDecision: the same 200 calls get the same decision by the same rule through every
// adapter, in every form of payload that the CLI has for them, and the description beside an
// argument is not read as a path.
func TestSameDecision(t *testing.T) {
	tables := map[string]*eval.Table{}
	for _, cli := range harness.Names() {
		tables[cli] = table(t, cli, samePolicy)
	}
	calls, seen, told := map[[2]string]bool{}, map[plangate.Action]int{}, map[string]int{}
	for _, call := range sameCalls() {
		calls[call] = true
		var want plangate.Decision
		from := ""
		for _, cli := range harness.Names() {
			for _, f := range formsOf(cli, call[0]) {
				got := strictest(tables[cli], f.callsOf(t, cli, call[1]))
				told[cli+" "+call[0]]++
				if from == "" {
					want, from = got, cli
					seen[got.Action()]++
				}
				if got.Action() != want.Action() || got.DecidedBy() != want.DecidedBy() {
					t.Errorf("%q: %s says %s by %s, %s %s says %s by %s", call, from, want.Action(), want.DecidedBy(),
						cli, f.capture, got.Action(), got.DecidedBy())
				}
			}
		}
	}
	if len(calls) < 200 {
		t.Errorf("only %d calls", len(calls))
	}
	for _, action := range []plangate.Action{plangate.Deny, plangate.Ask, plangate.Allow} {
		if seen[action] < 10 {
			t.Errorf("only %d calls get %s", seen[action], action)
		}
	}
	for _, cli := range harness.Names() {
		for _, operation := range []string{"bash", "read_file", "write_file", "edit_file", "mcp"} {
			if told[cli+" "+operation] == 0 {
				t.Errorf("%s was told of no %s", cli, operation)
			}
		}
	}
}

// strictest is the decision about a tool that is several calls at once.
func strictest(policy *eval.Table, calls []plangate.Call) (got plangate.Decision) {
	for i, call := range calls {
		call.Workspace, call.Home, call.Time = "/workspace", "/home/user", time.Time{}
		if decision := policy.Decide(call); i == 0 || decision.StricterThan(got) {
			got = decision
		}
	}
	return got
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
