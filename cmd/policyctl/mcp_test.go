package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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
	prompt := func(input string) string {
		got, _ := call("permission_prompt", `{"tool_name":"Bash","input":`+input+`,"tool_use_id":"t"}`)
		return got
	}
	if got := prompt(`{"command":"git status"}`); got != `{"behavior":"allow","updatedInput":{"command":"git status"}}` {
		t.Errorf("allow: %s", got)
	}
	touch := `{"command":"touch x"}`
	if got := prompt(touch); !strings.HasPrefix(got, `{"behavior":"deny","message":"Pending approval `) {
		t.Errorf("ask: %s", got)
	}
	resolve(t, getenv, gate.Verdict{Decision: plangate.Allow})
	if got := prompt(`{"command":"touch y"}`); !strings.Contains(got, `"deny"`) {
		t.Errorf("another call: %s", got)
	}
	if got := prompt(touch); got != `{"behavior":"allow","updatedInput":`+touch+`}` {
		t.Errorf("the answer is not used: %s", got)
	}
	if got := prompt(touch); !strings.Contains(got, `"deny"`) {
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
