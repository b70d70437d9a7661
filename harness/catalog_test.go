package harness_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/harness"
)

// read makes the calls of a tool and its arguments as a CLI would tell them.
func read(t *testing.T, cli string, call [2]string, servers ...string) harness.Request {
	t.Helper()
	tool, input := call[0], call[1]
	h, _ := harness.Find(cli)
	payload := map[string]any{"tool_name": tool, "tool_input": json.RawMessage(input)}
	in := harness.Input{Now: noon, Dir: "/workspace", Servers: servers}
	switch cli {
	case "copilot":
		payload = map[string]any{"toolName": tool, "toolArgs": json.RawMessage(input)}
	case "amp":
		in.Payload = []byte(input)
		in.Getenv = func(name string) string { return map[string]string{"AGENT_TOOL_NAME": tool}[name] }
	}
	if in.Payload == nil {
		in.Payload, _ = json.Marshal(payload)
	}
	req, err := h.Read(in)
	if err != nil {
		t.Fatalf("%s %s: %v", cli, tool, err)
	}
	return req
}

// TestCatalogs: every catalog is sound, and the adapter gives each operation and alias the
// kind and risk that the catalog says (HRN-5).
func TestCatalogs(t *testing.T) {
	if !slices.Equal(harness.Names(), catalog.BuiltinNames()) {
		t.Fatalf("adapters %v, catalogs %v", harness.Names(), catalog.BuiltinNames())
	}
	if catalog.Builtin("../claude") != nil {
		t.Error("a catalog of nobody")
	}
	for _, cli := range harness.Names() {
		c, diags := catalog.Parse(cli+".json", catalog.BuiltinJSON(cli))
		if len(diags) > 0 {
			t.Errorf("%s: %v", cli, diags)
		}
		for operation := range c.All() {
			if operation.Provider != cli {
				t.Errorf("%s: provider %q", cli, operation.Provider)
			}
			for _, tool := range operation.Aliases {
				req := read(t, cli, [2]string{tool, `{"command":"*** Begin Patch"}`})
				i := slices.IndexFunc(req.Calls, func(call plangate.Call) bool { return call.Operation == operation.Name })
				if i < 0 || req.Calls[i].Kind != operation.Kind || req.Calls[i].Risk != operation.Risk || req.MCP {
					t.Errorf("%s: %s is not read as %s %s %s: %+v", cli, tool, operation.Name, operation.Kind, operation.Risk, req.Calls)
				}
			}
		}
	}
}

// TestSameNames: an operation that two CLIs have is of the same kind and risk in both.
func TestSameNames(t *testing.T) {
	first := map[string]*catalog.Operation{}
	for _, cli := range harness.Names() {
		for operation := range catalog.Builtin(cli).All() {
			if before := first[operation.Name]; before != nil && (before.Kind != operation.Kind || before.Risk != operation.Risk) {
				t.Errorf("%s of %s and %s differ", operation.Name, before.Provider, cli)
			}
			first[operation.Name] = operation
		}
		for _, name := range []string{"bash", "read_file", "write_file", "edit_file"} {
			if _, ok := catalog.Builtin(cli).Find(cli, name); !ok {
				t.Errorf("%s has no %s", cli, name)
			}
		}
	}
}

// TestTools: names, several operations at once, MCP in every spelling, and strangers.
func TestTools(t *testing.T) {
	type names = []string // provider|operation
	for _, test := range []struct {
		name, cli, tool, input string
		servers                []string
		want                   names
		mcp                    bool
	}{
		{"k6 a tool that writes and edits", "cursor", "Write", `{}`, nil, names{"cursor|write_file", "cursor|edit_file"}, false},
		{"k6 patch", "codex", "apply_patch", `{"command":"*** Begin Patch\n*** Update File: a\n"}`, nil, names{"codex|write_file", "codex|edit_file"}, false},
		{"k6 patch that deletes", "codex", "apply_patch", `{"command":"*** Delete File: a\n"}`, nil,
			names{"codex|write_file", "codex|edit_file", "codex|delete_file"}, false},
		{"k6 patch beside other tools", "opencode", "apply_patch", `{"patchText":"*** Add File: a\n"}`, nil,
			names{"opencode|apply_patch", "opencode|write_file", "opencode|edit_file"}, false},
		{"a monitor runs a command", "claude", "Monitor", `{"command":"x"}`, nil, names{"claude|Monitor", "claude|bash"}, false},
		{"hook-10 mcp__", "claude", "mcp__rig__look", `{}`, nil, names{"rig|look"}, true},
		{"hook-10 mcp__ codex", "codex", "mcp__rig__look", `{}`, nil, names{"rig|look"}, true},
		{"hook-10 mcp__ amp", "amp", "mcp__rig__look", `{}`, nil, names{"rig|look"}, true},
		{"DEC-6 several ways", "claude", "mcp__a__b__c", `{}`, nil, names{"a|b__c", "a__b|c"}, true},
		{"DEC-6 a server that is known", "claude", "mcp__a__b__c", `{}`, []string{"a__b"}, names{"a__b|c"}, true},
		{"name-06 the raw name", "claude", "mcp__my_server__x", `{}`, []string{"my.server"}, names{"my.server|x"}, true},
		{"hook-10 hyphen", "copilot", "rig-look", `{}`, nil, names{"rig|look"}, true},
		{"hook-10 hyphens", "copilot", "my-rig-look", `{}`, nil, names{"my|rig-look", "my-rig|look"}, true},
		{"hook-10 slash", "copilot", "rig/look", `{}`, nil, names{"rig|look"}, true},
		{"hook-10 underscore", "opencode", "rig_look", `{}`, nil, names{"rig|look"}, true},
		{"hook-10 underscores, known", "opencode", "my_rig_look_up", `{}`, []string{"my_rig"}, names{"my_rig|look_up"}, true},
		{"hook-10 gemini without context", "gemini", "mcp_rig_look", `{}`, nil, names{"rig|look"}, true},
		{"hook-10 cursor, server not told", "cursor", "MCP:look", `{}`, nil, names{"cursor|MCP:look"}, true},
		{"hook-10 cursor, servers known", "cursor", "MCP:look", `{}`, []string{"a", "b"}, names{"a|look", "b|look"}, true},
		{"HRN-7 a stranger", "claude", "Brandnew", `{}`, nil, names{"claude|Brandnew"}, false},
		{"HRN-7 a stranger with a known operation's name", "claude", "read_file", `{}`, nil, names{"claude|read_file"}, false},
		{"no server", "claude", "mcp____x", `{}`, nil, names{"claude|mcp____x"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := read(t, test.cli, [2]string{test.tool, test.input}, test.servers...)
			var got names
			for _, call := range req.Calls {
				got = append(got, call.Provider+"|"+call.Operation)
				unknown := test.mcp || call.Operation == test.tool && test.tool != "Monitor"
				if unknown && test.tool != "apply_patch" && (call.Kind != plangate.Resource || call.Risk != plangate.High) {
					t.Errorf("%s is %s %s", call.Operation, call.Kind, call.Risk)
				}
			}
			if !slices.Equal(got, test.want) || req.MCP != test.mcp {
				t.Errorf("got %v mcp=%t, want %v mcp=%t", got, req.MCP, test.want, test.mcp)
			}
		})
	}
}

// TestInfo: what installers rely on is there.
func TestInfo(t *testing.T) {
	failures := []harness.Failure{
		harness.FailMissing, harness.FailCrash, harness.FailExit1, harness.FailExit2, harness.FailTimeout,
		harness.FailBadJSON, harness.FailBadWord, harness.FailTwoTexts, harness.FailNoReason, harness.FailExtraKey,
	}
	for _, cli := range harness.Names() {
		h, _ := harness.Find(cli)
		info := h.Info()
		if info.Name != cli || info.Title == "" || info.Program == "" || len(info.Files) == 0 || len(info.Unseen) == 0 || info.AskHeadless == "" {
			t.Errorf("%s: incomplete", cli)
		}
		if len(info.Events) == 0 || !info.Events[0].Needed || (info.TimeoutKey == "") != (info.TimeoutUnit == 0) {
			t.Errorf("%s: events or timeout", cli)
		}
		for _, failure := range failures {
			if !slices.ContainsFunc(info.OnFailure, func(f harness.FailureEffect) bool { return f.Failure == failure }) {
				t.Errorf("%s: nothing about %s", cli, failure)
			}
		}
	}
}
