package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

// mcpClient returns what calls a tool of `policyctl mcp`.
func mcpClient(t *testing.T, getenv func(string) string, args ...string) func(tool, arguments string) (string, bool) {
	t.Helper()
	toServer, theirOutput := io.Pipe()
	theirInput, toClient := io.Pipe()
	var errs bytes.Buffer
	w := newTestWorld("")
	w.stdin, w.stdout, w.stderr, w.getenv = toServer, bufio.NewWriter(toClient), &errs, getenv
	ended := make(chan int, 1)
	go func() {
		ended <- realMain(append([]string{"mcp"}, args...), &w.world)
		_ = toClient.Close()
	}()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.IOTransport{Reader: theirInput, Writer: theirOutput}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	t.Cleanup(func() {
		_ = client.Close()
		_ = theirOutput.Close()
		if code := <-ended; code != codeFine || errs.Len() > 0 {
			t.Errorf("exit code %d: %s", code, errs.String())
		}
	})
	return func(tool, arguments string) (string, bool) {
		t.Helper()
		result, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		return result.Content[0].(*mcp.TextContent).Text, result.IsError
	}
}

// TestMCPPrompt (MCS-2, MCS-6): the prompt's answers are those of the policy, and recorded;
// a human's answer holds for the same call once.
func TestMCPPrompt(t *testing.T) {
	home, getenv := hookHome(t)
	call := mcpClient(t, getenv)
	turn := 0
	prompt := func(input string) string {
		turn++
		got, _ := call("permission_prompt", fmt.Sprintf(`{"tool_name":"Bash","input":%s,"tool_use_id":"t%d"}`, input, turn))
		return got
	}
	if got := prompt(`{"command":"git status"}`); got != `{"behavior":"allow","updatedInput":{"command":"git status"}}` {
		t.Errorf("allow: %s", got)
	}
	const waits = `{"behavior":"deny","message":"Pending approval `
	touch := `{"command":"touch x"}`
	if got := prompt(touch); !strings.HasPrefix(got, waits) {
		t.Errorf("ask: %s", got)
	}
	resolve(t, getenv, gate.Verdict{Decision: plangate.Allow})
	if got := prompt(`{"command":"touch y"}`); !strings.HasPrefix(got, waits) {
		t.Errorf("another call: %s", got)
	}
	if got := prompt(touch); got != `{"behavior":"allow","updatedInput":`+touch+`}` {
		t.Errorf("the answer is not used: %s", got)
	}
	if got := prompt(touch); !strings.HasPrefix(got, waits) {
		t.Errorf("the answer is used twice: %s", got)
	}
	text, err := os.ReadFile(filepath.Join(home, ".local", "state", "plangate", "audit.jsonl"))
	if err != nil || !bytes.Contains(text, []byte(`"harness":"claude","cli_tool":"Bash"`)) {
		t.Errorf("log: %v, %s", err, text)
	}
}

// TestMCPReads (MCS-7): what waits, without its secrets, and why it does.
func TestMCPReads(t *testing.T) {
	_, getenv := hookHome(t)
	call := mcpClient(t, getenv)
	if got, failed := call("pending", `{}`); got != "[]" || failed {
		t.Errorf("nothing waits: %s, %t", got, failed)
	}
	call("permission_prompt", `{"tool_name":"Bash","input":{"command":"curl -H 'Authorization: Bearer abcdef0123456789' x.example"}}`)
	got, failed := call("pending", `{"limit":1}`)
	if failed || !strings.Contains(got, `"operation":"bash"`) || strings.Contains(got, "abcdef0123456789") {
		t.Errorf("pending: %s", got)
	}
	if got, failed := call("explain", `{"operation":"Bash","input":{"command":"git status"}}`); failed || !strings.HasPrefix(got, "allow: claude.bash") {
		t.Errorf("explain: %s", got)
	}
	if got, failed := call("explain", `{"operation":"Bash","profile":"none"}`); !failed || !strings.Contains(got, "unknown profile") {
		t.Errorf("explain of an unknown profile: %s", got)
	}
}

// mcpPolicy has guards to which the directory of a call matters.
const mcpPolicy = `
agent_profile "strict" {
  deny_tools = ["bash"]
}
policy "shell" {
  match   = { provider = "claude", operation = "bash" }
  command = ["touch", "cd", "make"]
  action  = "allow"
}
guard "keys" {
  path   = ["keys/**"]
  action = "deny"
  reason = "no keys"
}
`

// TestMCPDirectory (MCS-2): the shell may be anywhere, so what a guard denies somewhere is not
// allowed without the directory; the model is told, and no human is asked.
func TestMCPDirectory(t *testing.T) {
	home, getenv := hookHome(t)
	putText(t, filepath.Join(home, ".config", "plangate", "agent.hcl"), mcpPolicy)
	call := mcpClient(t, getenv)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, want string }{
		{"make", `"allow"`}, // names no path
		{"touch " + here + "/x", `"allow"`},
		{"cd " + here + " && touch x", `"allow"`},
		{"(cd " + here + " && touch x)", `"allow"`},
		{"touch x", whereText[:40]}, // perhaps after cd keys
		{"touch ../x", whereText[:40]},
		{"cd sub && touch x", whereText[:40]},
		{"touch keys/x", "no keys"},
		{"touch " + here + "/keys/x", "no keys"},
		{"cd " + here + "/keys && touch x", "no keys"},
		{"(cd " + here + "/keys && touch x)", "no keys"},
	} {
		arguments, err := json.Marshal(map[string]any{"tool_name": "Bash", "input": map[string]any{"command": c.command}})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := call("permission_prompt", string(arguments)); !strings.Contains(got, c.want) || strings.Contains(got, `"allow"`) != (c.want == `"allow"`) {
			t.Errorf("%s: %s", c.command, got)
		}
	}
	if got, _ := call("pending", `{}`); got != "[]" {
		t.Errorf("a human is asked: %s", got)
	}
	if got, _ := call("explain", `{"operation":"Bash","input":{"command":"touch x"}}`); !strings.HasPrefix(got, "ask: claude.bash") {
		t.Errorf("explain: %s", got)
	}
	if got, _ := call("explain", `{"operation":"Bash","input":{"command":"touch keys/x"}}`); !strings.HasPrefix(got, "deny: claude.bash") {
		t.Errorf("explain: %s", got)
	}
}

// TestMCPAskedAnywhere (MCS-6): who answers is not told a directory, which may be another.
func TestMCPAskedAnywhere(t *testing.T) {
	_, getenv := hookHome(t)
	call := mcpClient(t, getenv)
	call("permission_prompt", `{"tool_name":"Bash","input":{"command":"rm -r build"}}`)
	w := newTestWorld("")
	w.getenv = getenv
	if code := realMain([]string{"approvals", "list", "--format", "json"}, &w.world); code != codeFine {
		t.Fatal(w.errs.String())
	}
	var page listedPage
	if err := json.Unmarshal(w.out.Bytes(), &page); err != nil || len(page.Items) != 1 {
		t.Fatalf("%v: %s", err, w.out.String())
	}
	if got := page.Items[0].Call; got.Cwd != "" || got.Workspace == "" {
		t.Errorf("cwd %q, workspace %q", got.Cwd, got.Workspace)
	}
}

// TestMCPProfile (MCS-7): the profile of the server holds for explain as it does for prompts.
func TestMCPProfile(t *testing.T) {
	home, getenv := hookHome(t)
	putText(t, filepath.Join(home, ".config", "plangate", "agent.hcl"), mcpPolicy)
	for name, call := range map[string]func(tool, arguments string) (string, bool){
		"flag": mcpClient(t, getenv, "--profile", "strict"),
		"environment": mcpClient(t, func(name string) string {
			if name == "PLANGATE_PROFILE" {
				return "strict"
			}
			return getenv(name)
		}),
	} {
		if got, _ := call("permission_prompt", `{"tool_name":"Bash","input":{"command":"make"}}`); !strings.Contains(got, `"deny"`) {
			t.Errorf("%s: prompt: %s", name, got)
		}
		if got, _ := call("explain", `{"operation":"Bash","input":{"command":"make"}}`); !strings.HasPrefix(got, "deny: claude.bash") {
			t.Errorf("%s: explain: %s", name, got)
		}
	}
}

// TestMCPPlaces (MCS-6, HRN-18): with --home no variable that a repository may set moves the policy,
// the profile or the log, for any of the tools.
func TestMCPPlaces(t *testing.T) {
	home, getenv := hookHome(t)
	evil := t.TempDir()
	for _, dir := range []string{"plangate", ".config/plangate"} {
		if err := os.MkdirAll(filepath.Join(evil, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		putText(t, filepath.Join(evil, dir, "agent.hcl"), "defaults {\n  resource = \"allow\"\n}\n")
	}
	variables := map[string]string{
		"HOME": evil, "XDG_CONFIG_HOME": evil, "XDG_STATE_HOME": evil, "XDG_CACHE_HOME": evil,
		"PLANGATE_PROFILE": "none", "PLANGATE_LOG": "none", "PLANGATE_STORE": filepath.Join(evil, "evil.db"),
	}
	hostile := func(name string) string {
		if value, ok := variables[name]; ok {
			return value
		}
		return getenv(name)
	}
	call := mcpClient(t, hostile, "--home", home)
	if got, _ := call("permission_prompt", `{"tool_name":"Bash","input":{"command":"curl x.example"}}`); !strings.Contains(got, "Pending approval") {
		t.Errorf("prompt: %s", got)
	}
	if got, _ := call("explain", `{"operation":"Bash","input":{"command":"curl x.example"}}`); !strings.HasPrefix(got, "ask: claude.bash") {
		t.Errorf("explain: %s", got)
	}
	if got, _ := call("pending", `{}`); !strings.Contains(got, "curl x.example") {
		t.Errorf("pending: %s", got)
	}
	if _, err := os.Stat(filepath.Join(home, ".local", "state", "plangate", "audit.jsonl")); err != nil {
		t.Error(err)
	}
}

// TestMCPWait (MCS-6): an answer that comes while the prompt waits is its answer.
func TestMCPWait(t *testing.T) {
	_, getenv := hookHome(t)
	call := mcpClient(t, getenv, "--wait", "1m")
	answered := make(chan string, 1)
	go func() {
		got, _ := call("permission_prompt", `{"tool_name":"Bash","input":{"command":"touch x"}}`)
		answered <- got
	}()
	for waits := "[]"; waits == "[]"; {
		waits, _ = call("pending", `{}`)
	}
	resolve(t, getenv, gate.Verdict{Decision: plangate.Allow})
	if got := <-answered; !strings.HasPrefix(got, `{"behavior":"allow"`) {
		t.Errorf("got %s", got)
	}
}

// TestMCPTellsNothing (MCS-7): agents read neither secrets nor where the store is.
func TestMCPTellsNothing(t *testing.T) {
	home, getenv := hookHome(t)
	call := mcpClient(t, getenv)
	secret := "abcdef0123456789"
	long := `{"command":"curl -H 'Authorization: Bearer ` + secret + `' x.example # ` + strings.Repeat("é", 4*maxPendingInput) + `"}`
	call("permission_prompt", `{"tool_name":"Bash","input":`+long+`}`)
	got, failed := call("pending", `{}`)
	var listed []pendingItem
	if err := json.Unmarshal([]byte(got), &listed); err != nil || failed || len(listed) != 1 {
		t.Fatalf("%v: %.300s", err, got)
	}
	if one := listed[0]; one.Input != nil || one.Preview == "" || one.Age == "" || len(got) > 2*maxPendingPreview || strings.Contains(got, secret) {
		t.Errorf("a long call: %s", got)
	}
	if got, _ := call("explain", `{"operation":"Bash","input":`+long+`}`); strings.Contains(got, secret) {
		t.Errorf("explain tells a secret: %s", got)
	}

	store := filepath.Join(home, "broken.db")
	putText(t, store, strings.Repeat("no store ", 1000))
	w := newTestWorld("")
	w.getenv = getenv
	m := &mcpRun{world: &w.world, approvals: approvals{world: &w.world, store: store}}
	if _, err := m.pending(t.Context(), 1); err == nil || strings.Contains(err.Error(), home) {
		t.Errorf("pending: %v", err)
	}
	if !strings.Contains(w.errs.String(), store) {
		t.Errorf("the operator is not told: %s", w.errs.String())
	}
}

func putText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
