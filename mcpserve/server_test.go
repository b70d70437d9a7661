package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/harness"
)

// connect returns a client of a server.
func connect(t *testing.T, opts Options) *mcp.ClientSession {
	t.Helper()
	theirs, ours := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() { _ = New(opts).mcp.Run(ctx, ours) }()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// say calls a tool and returns the text of its result.
func say(t *testing.T, client *mcp.ClientSession, tool string, arguments any) (words string, failed bool) {
	t.Helper()
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if len(result.Content) != 1 {
		t.Fatalf("%s: %d blocks", tool, len(result.Content))
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// deciding is a judge that decides by the command.
func deciding(_ context.Context, q *Question) harness.Output {
	cli, payload := q.CLI, q.Payload
	req, err := cli.Read(harness.Input{Payload: payload, Dir: "/work"})
	if err != nil {
		return cli.Refuse("", err.Error())
	}
	switch command := string(req.Input); {
	case strings.Contains(command, "allowed"):
		return cli.Answer(req, harness.Answer{Verdict: harness.Allow, Reason: "fine"})
	case strings.Contains(command, "changed"):
		return cli.Answer(req, harness.Answer{Verdict: harness.Allow, Input: json.RawMessage(`{"command":"other"}`)})
	case strings.Contains(command, "asked"):
		return cli.Answer(req, harness.Answer{Verdict: harness.Ask})
	case strings.Contains(command, "defect"):
		panic("defect")
	default:
		return cli.Answer(req, harness.Answer{Reason: "no " + req.Tool})
	}
}

// TestPrompt (MCS-2 to MCS-4): every answer is allow with the arguments, or deny with a
// message, and no answer is an error.
func TestPrompt(t *testing.T) {
	client := connect(t, Options{Judge: deciding})
	for _, c := range []struct{ arguments, want string }{
		{`{"tool_name":"Bash","input":{"command":"allowed","n":12345678901234567890},"tool_use_id":"t"}`,
			`{"behavior":"allow","updatedInput":{"command":"allowed","n":12345678901234567890}}`},
		{`{"tool_name":"Bash","input":{"command":"changed"}}`, `{"behavior":"allow","updatedInput":{"command":"other"}}`},
		{`{"tool_name":"Bash","input":{"command":"x"}}`, `{"behavior":"deny","message":"no Bash"}`},
		{`{"tool_name":"Bash","input":{"command":"asked"}}`, `{"behavior":"deny","message":"The policy gate does not allow this call."}`},
		{`{"tool_name":"Bash","input":{"command":"defect"}}`, `{"behavior":"deny",`},
		{`{"tool_name":"Bash"}`, `{"behavior":"deny",`},
		{`{"input":{"command":"allowed"}}`, `{"behavior":"deny",`},
		{`{"tool_name":"Bash","input":null}`, `{"behavior":"deny",`},
		{`{"tool_name":"Bash","input":{"command":"allowed"},"tool_use_id":7}`, `{"behavior":"deny",`},
		{`{"tool_name":"Bash","Input":{"command":"allowed"}}`, `{"behavior":"deny",`},
		{`{"Tool_Name":"Bash","input":{"command":"allowed"}}`, `{"behavior":"deny",`},
		{`{"tool_name":"Bash","input":{"command":"allowed"},"input":{"command":"x"}}`, `{"behavior":"deny",`},
		{`{"tool_name":"Bash","input":{"command":"allowed"},"new":[1],"permission_mode":"x"}`, `{"behavior":"allow","updatedInput":{"command":"allowed"}}`},
		{`{"tool_name":"Bash","input":"{\"command\":\"allowed\"}"}`, `{"behavior":"deny",`},
		{`[]`, `{"behavior":"deny",`},
		{`"allowed"`, `{"behavior":"deny",`},
		{`null`, `{"behavior":"deny",`},
		{`{"tool_name":7,"input":{"command":"allowed"}}`, `{"behavior":"deny",`},
		{`{"tool_name":"Bash","input":"allowed"}`, `{"behavior":"deny",`},
		{`{"tool_name":"Bash","input":["allowed"]}`, `{"behavior":"deny",`},
		{`{}`, `{"behavior":"deny",`},
	} {
		got, failed := say(t, client, PromptTool, json.RawMessage(c.arguments))
		if !strings.HasPrefix(got, c.want) || failed {
			t.Errorf("%.80s: %s, %t", c.arguments, got, failed)
		}
		if strings.Contains(got, `"deny"`) && strings.Contains(got, "updatedInput") || !strings.Contains(got, `"deny"`) && strings.Contains(got, "message") {
			t.Errorf("%.80s: keys of both: %s", c.arguments, got)
		}
	}
}

// TestPromptLate (MCS-4): a judge that takes too long denies.
func TestPromptLate(t *testing.T) {
	blocked := make(chan struct{})
	defer close(blocked)
	client := connect(t, Options{Limit: time.Millisecond, Judge: func(_ context.Context, q *Question) harness.Output {
		<-blocked
		return q.CLI.Answer(harness.Request{}, harness.Answer{Verdict: harness.Allow})
	}})
	if got, _ := say(t, client, PromptTool, map[string]any{"tool_name": "Bash", "input": map[string]any{}}); !strings.HasPrefix(got, `{"behavior":"deny"`) {
		t.Errorf("got %s", got)
	}
}

// TestPromptSessions (MCS-6): an answer for one server's prompts is none for another's.
func TestPromptSessions(t *testing.T) {
	sessions := map[string]bool{}
	var calls atomic.Int32
	for range 3 {
		client := connect(t, Options{Judge: func(_ context.Context, q *Question) harness.Output {
			cli := q.CLI
			req, err := cli.Read(harness.Input{Payload: q.Payload, Dir: "/work", Getenv: func(string) string { return "/elsewhere" }})
			if err != nil || req.Asks || req.Project != "" || req.Cwd != "/work" {
				t.Errorf("%+v, %v", req, err)
			}
			sessions[req.Session] = true
			calls.Add(1)
			return cli.Answer(req, harness.Answer{Verdict: harness.Allow})
		}})
		say(t, client, PromptTool, map[string]any{"tool_name": "Bash", "input": map[string]any{"command": "x"}})
		say(t, client, PromptTool, map[string]any{"tool_name": "Bash", "input": map[string]any{"command": "y"}})
	}
	if len(sessions) != 3 || calls.Load() != 6 {
		t.Errorf("%d sessions, %d calls", len(sessions), calls.Load())
	}
}

// TestSideBySide (MCS-5): calls do not wait for each other, up to the bound.
func TestSideBySide(t *testing.T) {
	var all sync.WaitGroup
	all.Add(MaxCalls)
	client := connect(t, Options{Judge: func(_ context.Context, q *Question) harness.Output {
		all.Done()
		all.Wait() // ends only if all are here
		req, _ := q.CLI.Read(harness.Input{Payload: q.Payload})
		return q.CLI.Answer(req, harness.Answer{Verdict: harness.Allow})
	}})
	var done sync.WaitGroup
	for range MaxCalls {
		done.Go(func() {
			if got, _ := say(t, client, PromptTool, map[string]any{"tool_name": "Bash", "input": map[string]any{}}); !strings.Contains(got, `"allow"`) {
				t.Error(got)
			}
		})
	}
	done.Wait()
}

// TestReading (MCS-7): explain and pending say what is wrong, and say that they only read.
func TestReading(t *testing.T) {
	client := connect(t, Options{
		Explain: func(_ context.Context, call plangate.Call) (string, error) {
			switch call.Operation {
			case "defect":
				panic("defect")
			case "bad":
				return "", errors.New("no policy")
			}
			return call.Provider + "." + call.Operation + string(call.Input), nil
		},
		Pending: func(_ context.Context, limit int) (any, error) { return []int{limit}, nil },
	})
	for _, c := range []struct {
		tool, arguments, want string
		failed                bool
	}{
		{ExplainTool, `{"operation":"Bash","input":{"command":"x"}}`, `.Bash{"command":"x"}`, false},
		{ExplainTool, `{"provider":"p","operation":"o"}`, "p.o", false},
		{ExplainTool, `{"operation":"bad"}`, "no policy", true},
		{ExplainTool, `{"operation":"defect"}`, "internal error", true},
		{ExplainTool, `{}`, "operation is missing", true},
		{ExplainTool, `{"operation":"o","allow":true}`, "unknown field", true},
		{ExplainTool, `{"operation":7}`, "arguments: operation is of type number", true},
		{ExplainTool, `{"operation":"o","input":[1]}`, "input is not an object", true},
		{ExplainTool, `[]`, "arguments: the whole is of type array", true},
		{ExplainTool, `{"operation":"o","operation":"p"}`, "twice", true},
		{PendingTool, `{}`, "[100]", false},
		{PendingTool, `{"limit":3}`, "[3]", false},
		{PendingTool, `{"limit":"3"}`, "arguments: limit is of type string", true},
		{PendingTool, `{"limit":1.5}`, "arguments: limit is of type number", true},
		{PendingTool, `{"id":"x","allow":true}`, "unknown field", true},
		{PendingTool, `{"limit":0}`, "limit is 0", true},
		{PendingTool, `{"limit":101}`, "limit is 101", true},
	} {
		got, failed := say(t, client, c.tool, json.RawMessage(c.arguments))
		if !strings.Contains(got, c.want) || failed != c.failed {
			t.Errorf("%s %s: %q, %t", c.tool, c.arguments, got, failed)
		}
	}
}

// TestTools (MCS-1): there are three tools, and none that answers an approval.
func TestTools(t *testing.T) {
	list, err := connect(t, Options{}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	reads := map[string]bool{}
	for _, tool := range list.Tools {
		reads[tool.Name] = tool.Annotations != nil && tool.Annotations.ReadOnlyHint
	}
	if len(reads) != 3 || !reads[ExplainTool] || !reads[PendingTool] || reads[PromptTool] {
		t.Errorf("%v", reads)
	}
}
