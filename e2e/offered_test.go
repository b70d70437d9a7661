//go:build unix

package e2e

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/harness"
)

// TestOffered (HRN-5, HRN-7): every tool that a CLI offers to its model is an operation that the
// CLI's adapter and catalog know, and every argument of it that names a file, a command or a host
// has that role. A tool that begins to be offered fails here.
func TestOffered(t *testing.T) {
	for _, cli := range offering() {
		t.Run(cli.name, func(t *testing.T) {
			info := describe(t, cli.Name())
			if _, err := reach(t, cli.driver, info); err != nil {
				t.Skip(err)
			}
			w := newWorld(t, cli.driver, func(*world) script {
				inner := []turn{{Calls: []toolCall{cli.Shell("touch sub")}}, cli.AgentEnd()}
				return script{mainMarker: append(slices.Clone(cli.first), cli.Agent(subMarker+" do it")...), subMarker: inner}
			})
			cli.Configure(w)
			w.install()
			w.run()
			if len(w.model.offered) < 8 {
				t.Fatalf("only %d tools are offered: %s", len(w.model.offered), w.model.seen())
			}
			for _, o := range slices.SortedFunc(maps.Values(w.model.offered), func(a, b offer) int {
				return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
			}) {
				cli.examine(t, o)
			}
		})
	}
}

// offeringCLI is a CLI as it offers some of its tools.
type offeringCLI struct {
	driver

	name  string
	first []turn // what makes it offer the tools that it holds back
	// hooked is the name by which the hook is told of a tool, "" for one that it never sees.
	hooked func(offer) string
}

func offering() []offeringCLI {
	plain := func(o offer) string { return o.Name }
	return []offeringCLI{
		{claude{}, "claude", []turn{{Calls: []toolCall{{Name: "ToolSearch", Args: map[string]any{
			"query": "select:CronCreate,CronDelete,CronList,EnterWorktree,ExitWorktree,Monitor,NotebookEdit,SendMessage,TaskStop,WebFetch,WebSearch", "max_results": 50,
		}}}}}, func(o offer) string {
			return unless(o.Name, "DeferredToolPlaceholder") // it stands for the tools that are held back
		}},
		{codex{}, "codex", []turn{{Calls: []toolCall{{Name: "tool_search", Args: map[string]any{"query": "agent spawn wait send close resume", "limit": 20}}}}}, codexHooked},
		{codeMode{}, "codex in code mode", nil, codexHooked},
		{copilot{}, "copilot", nil, plain},
		{gemini{}, "gemini", nil, func(o offer) string { return unless(o.Name, "complete_task") }},
		{opencode{}, "opencode", nil, plain},
	}
}

// unless returns a name, or "" if it is one of some others.
func unless(name string, others ...string) string {
	if slices.Contains(others, name) {
		return ""
	}
	return name
}

// codexHooked joins namespace and name as Codex does. What runs or feeds a script has no hook:
// the calls inside a script have one.
func codexHooked(o offer) string {
	switch {
	case o.Name == "exec_command":
		return "Bash"
	case o.Name == "spawn_agent" && o.Namespace == agentSpace:
		return o.Name
	case o.Namespace == "functions" || o.Namespace == "":
		return unless(o.Name, "write_stdin", "exec", "wait")
	default:
		return o.Namespace + o.Name
	}
}

// codeMode is Codex with a model that writes scripts which call tools.
type codeMode struct{ codex }

func (codeMode) Command(w *world, prompt string) (args, env []string) {
	args, env = codex{}.Command(w, prompt)
	return slices.Concat(args[:2], []string{"-m", "gpt-6.2-sol"}, args[2:]), env
}

func (codeMode) Shell(command string) toolCall {
	return toolCall{Name: "exec", Args: "text(await tools.exec_command({cmd: " + marshal(command) + "}))"}
}

func (codeMode) Agent(prompt string) []turn {
	return []turn{{Calls: []toolCall{{Name: "spawn_agent", Namespace: "collaboration", Args: map[string]any{"message": prompt, "task_name": "sub"}}}}}
}

// telling are arguments that say by their name what they are.
var telling = map[string]func(catalog.Roles) []string{
	"command": commandRole, "cmd": commandRole, "url": urlRole, "uri": urlRole, "image_url": urlRole, "audio_url": urlRole,
	"cwd": cwdRole, "workdir": cwdRole, "path": pathRole, "paths": pathRole, "file_path": pathRole, "filePath": pathRole,
	"notebook_path": pathRole, "scriptPath": pathRole, "dir_path": func(r catalog.Roles) []string { return slices.Concat(r.Path, r.Cwd) },
}

func commandRole(r catalog.Roles) []string { return r.Command }
func urlRole(r catalog.Roles) []string     { return r.URL }
func cwdRole(r catalog.Roles) []string     { return r.Cwd }
func pathRole(r catalog.Roles) []string    { return r.Path }

// examine looks a tool up as the hook would be told of it.
func (c offeringCLI) examine(t *testing.T, o offer) {
	t.Helper()
	tool := c.hooked(o)
	if tool == "" || strings.Contains(tool, mcpServer) {
		return
	}
	operations := operationsOf(t, c.Name(), tool)
	if len(operations) == 0 {
		t.Errorf("nothing is known of %s %s, arguments %v", o.Namespace, o.Name, o.Arguments)
	}
	for _, argument := range o.Arguments {
		names := strings.Split(strings.ReplaceAll(argument, "/*", ""), "/")
		role := telling[names[len(names)-1]]
		if role == nil || tool == "Bash" && c.Name() == "codex" || tool == "task" && argument == "/command" { // the hook gets others; it is no shell's
			continue
		}
		if !slices.ContainsFunc(operations, func(operation *catalog.Operation) bool {
			return slices.ContainsFunc(role(operation.Roles), func(pointer string) bool {
				return pointer == argument || strings.HasPrefix(pointer, argument+"/")
			})
		}) {
			t.Errorf("argument %s of %s has no role", argument, tool)
		}
	}
}

// operationsOf returns what the catalog says of the operations that a tool is, none if it is a
// stranger.
func operationsOf(t *testing.T, cli, tool string) []*catalog.Operation {
	t.Helper()
	h, _ := harness.Find(cli)
	payload := map[string]any{"tool_name": tool, "tool_input": map[string]any{}}
	if cli == "copilot" {
		payload = map[string]any{"toolName": tool, "toolArgs": map[string]any{}}
	}
	data, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	req, err := h.Read(harness.Input{Payload: data, Dir: "/", Now: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	var all []*catalog.Operation
	for _, call := range req.Calls {
		if operation, ok := catalog.Builtin(cli).Find(cli, call.Operation); ok {
			all = append(all, operation)
		}
	}
	return all
}

// TestCodexAgents: the hook is told of the tools for sub-agents under the names that
// codexHooked says, and knows what each of them is.
func TestCodexAgents(t *testing.T) {
	cli := codex{}
	if _, err := reach(t, cli, describe(t, cli.Name())); err != nil {
		t.Skip(err)
	}
	agent := fromResult{agentID}
	w := newWorld(t, cli, func(*world) script {
		turns := cli.Agent(subMarker + " do it")
		for name, args := range map[string]map[string]any{
			"send_input": {"target": agent, "message": "hello"}, "close_agent": {"target": agent}, "resume_agent": {"id": agent},
		} {
			turns = append(turns, turn{Calls: []toolCall{{Name: name, Namespace: agentSpace, Args: args}}})
		}
		return script{mainMarker: turns, subMarker: {cli.AgentEnd()}}
	})
	cli.Configure(w)
	w.install()
	w.run()
	want := map[string]string{
		"spawn_agent": "spawn_agent", "wait_agent": "agent_status", "send_input": "agent_message", "close_agent": "agent_stop", "resume_agent": "agent_message",
	}
	for name, operation := range want {
		line := `"operation":"` + operation + `"`
		tool := `"cli_tool":"` + codexHooked(offer{Namespace: agentSpace, Name: name}) + `"`
		told := slices.ContainsFunc(strings.Split(w.records(t), "\n"), func(record string) bool {
			return strings.Contains(record, line) && strings.Contains(record, tool)
		})
		if !told {
			t.Errorf("no record has %s and %s:\n%s", tool, line, w.records(t))
		}
	}
}

// records is the audit log of the hooks of this world.
func (w *world) records(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(w.inHome(".local/state/plangate/audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
