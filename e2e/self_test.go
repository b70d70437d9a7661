package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// request is a history that ends where the second call of a script is due, in every
// protocol of the fake model.
var requests = map[string]struct{ path, body, want string }{
	"anthropic": {
		"/v1/messages?beta=true", `{"model":"m","tools":[{}],"messages":[
			{"role":"user","content":"E2E-MAIN go"},
			{"role":"assistant","content":[{"type":"tool_use","id":"call_E2EMAIN_0_0","name":"a","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_E2EMAIN_0_0","content":[{"type":"text","text":"seen"}]}]}]}`,
		`"type":"tool_use"`,
	},
	"anthropic streamed": {
		"/v1/messages", `{"model":"m","stream":true,"tools":[{}],"messages":[
			{"role":"user","content":[{"type":"text","text":"E2E-MAIN go"}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"call_E2EMAIN_0_0","name":"a","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_E2EMAIN_0_0","content":"seen"}]}]}`,
		"event: content_block_start",
	},
	"chat": {
		"/v1/chat/completions", `{"model":"m","stream":true,"tools":[{}],"messages":[
			{"role":"user","content":"E2E-MAIN go"},
			{"role":"assistant","tool_calls":[{"id":"call_E2EMAIN_0_0"}]},
			{"role":"tool","tool_call_id":"call_E2EMAIN_0_0","content":"seen"}]}`,
		`"finish_reason":"tool_calls"`,
	},
	"responses": {
		"/v1/responses", `{"model":"m","stream":true,"tools":[{}],"input":[
			{"type":"message","role":"user","content":[{"type":"input_text","text":"E2E-MAIN go"}]},
			{"type":"function_call","call_id":"call_E2EMAIN_0_0","name":"a","arguments":"{}"},
			{"type":"function_call_output","call_id":"call_E2EMAIN_0_0","output":"seen"}]}`,
		"event: response.completed",
	},
	"gemini": {
		"/v1beta/models/m:streamGenerateContent?alt=sse", `{"tools":[{}],"contents":[
			{"role":"user","parts":[{"text":"E2E-MAIN go"}]},
			{"role":"model","parts":[{"functionCall":{"id":"call_E2EMAIN_0_0","name":"a","args":{}}}]},
			{"role":"user","parts":[{"functionResponse":{"id":"call_E2EMAIN_0_0","name":"a","response":{"output":"seen"}}}]}]}`,
		`"finishReason":"STOP"`,
	},
}

func TestModelPlaysTheNextTurn(t *testing.T) {
	for name, c := range requests {
		t.Run(name, func(t *testing.T) {
			m := startModel(t, script{"E2E-MAIN": {
				{Calls: []toolCall{{Name: "a", Args: map[string]any{}}}},
				{Calls: []toolCall{{Name: "second_tool", Args: map[string]any{"x": "y"}}}},
			}})
			answer := post(t, m.URL+c.path, c.body)
			for _, want := range []string{c.want, "second_tool", "call_E2EMAIN_1_0"} {
				if !strings.Contains(answer, want) {
					t.Errorf("%q is not in %s", want, answer)
				}
			}
			if got, ok := m.result(place{marker: "E2E-MAIN"}); got != "seen" || !ok {
				t.Errorf("the result of the first call is %q, %t", got, ok)
			}
			if _, ok := m.result(place{"E2E-MAIN", 1, 0}); ok {
				t.Error("a call without a result has one")
			}
		})
	}
}

func TestModelTakesTheLastMarker(t *testing.T) {
	m := startModel(t, script{
		"E2E-MAIN": {{Text: "main says"}}, "E2E-SUB": {{Text: "sub says"}},
	})
	for want, body := range map[string]string{
		"main says": `{"tools":[{}],"messages":[{"role":"user","content":"E2E-MAIN"}]}`,
		"sub says":  `{"tools":[{}],"messages":[{"role":"user","content":"E2E-MAIN then E2E-SUB"}]}`,
		`"ok"`:      `{"messages":[{"role":"user","content":"a title for E2E-MAIN, without tools"}]}`,
	} {
		if got := post(t, m.URL+"/v1/chat/completions", body); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", want, got)
		}
	}
}

func TestModelRefusesWhatItCannotRead(t *testing.T) {
	m := startModel(t, nil)
	for _, path := range []string{"/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1/models/m:generateContent"} {
		response, err := http.Post(m.URL+path, "application/json", strings.NewReader("[[["))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d", path, response.StatusCode)
		}
	}
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %s", response.StatusCode, err, answer)
	}
	return string(answer)
}

func TestMCPServer(t *testing.T) {
	dir := t.TempDir()
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"put","arguments":{"what":"it"}}}
{"jsonrpc":"2.0","id":4,"method":"no/such"}
`
	var out bytes.Buffer
	if err := serveMCP(dir, strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(&out)
	for id := 1; lines.Scan(); id++ {
		var answer struct {
			ID    int             `json:"id"`
			Error json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.ID != id || (answer.Error != nil) != (id == 4) {
			t.Errorf("answer %d is %s", id, lines.Text())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "mcp-put")); err != nil {
		t.Errorf("the call left no file: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "mcp-wipe")); err == nil {
		t.Error("a call that was not made left a file")
	}
}
