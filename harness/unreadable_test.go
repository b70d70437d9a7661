package harness_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/harness"
)

// denies reports whether an output stops a call in a CLI's own terms, for its first event.
func denies(cli string, out harness.Output) bool {
	if out.Code == 2 && len(out.Stdout) == 0 && len(bytes.TrimSpace(out.Stderr)) > 0 {
		return cli == "amp"
	}
	var answer struct {
		Specific struct{ HookEventName, PermissionDecision, PermissionDecisionReason string } `json:"hookSpecificOutput"`

		PermissionDecision, PermissionDecisionReason string
		Permission                                   string
		Agent                                        string `json:"agent_message"`
		Decision, Reason                             string
	}
	if json.Unmarshal(out.Stdout, &answer) != nil || out.Code != 0 {
		return false
	}
	switch cli {
	case "claude", "codex":
		s := answer.Specific
		return s.HookEventName == "PreToolUse" && s.PermissionDecision == "deny" && s.PermissionDecisionReason != ""
	case "cursor":
		return answer.Permission == "deny" && answer.Agent != ""
	case "gemini", "opencode":
		return answer.Decision == "deny" && answer.Reason != ""
	case "copilot":
		return answer.PermissionDecision == "deny" && answer.PermissionDecisionReason != ""
	}
	return false
}

// TestUnreadable (hook-03, k10): whatever is no call is an error that names the first
// event or the one told, and its refusal stops the call.
func TestUnreadable(t *testing.T) {
	texts := map[string]string{
		"empty": "", "blank": " \n", "no JSON": "not-json", "truncated": `{"tool_name":"Ba`, "array": "[]", "null": "null",
		"doubled key": `{"tool_name":"Read","tool_name":"Bash","tool_input":{}}`, "two objects": `{}{}`,
		"UTF-16": "\xff\xfe{\x00}\x00", "not UTF-8": "{\"tool_name\":\"\xff\"}", "too long": `{"a":"` + strings.Repeat("x", plangate.MaxJSONBytes) + `"}`,
		"too deep": strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200),
	}
	for _, cli := range harness.Names() {
		h, _ := harness.Find(cli)
		tool := func(string) string { return "Bash" }
		for name, text := range texts {
			req, err := h.Read(harness.Input{Payload: []byte(text), Getenv: tool, Now: noon})
			if !errors.Is(err, harness.ErrPayload) {
				t.Errorf("%s, %s: error %v", cli, name, err)
			}
			if out := h.Refuse(req.Event, err.Error()); !denies(cli, out) {
				t.Errorf("%s, %s: does not deny: %+v", cli, name, out)
			}
		}
		if cli == "amp" {
			continue // its payload is nothing but arguments
		}
		for _, text := range []string{`{}`, `{"tool_name":"Bash","toolName":"bash"}`, `{"tool_input":{},"toolArgs":{}}`,
			`{"tool_name":7,"toolName":7,"tool_input":{},"toolArgs":{}}`, `{"tool_name":"Bash","toolName":"bash","tool_input":[],"toolArgs":[]}`,
			`{"tool_name":"B","toolName":"b","tool_input":"{","toolArgs":"{"}`} {
			if _, err := h.Read(harness.Input{Payload: []byte(text), Now: noon}); !errors.Is(err, harness.ErrPayload) {
				t.Errorf("%s, %s: error %v", cli, text, err)
			}
		}
		if _, err := h.Read(harness.Input{Payload: []byte(`{"hook_event_name":"Stop","hookName":"Stop","tool_name":"B","toolName":"b","tool_input":{},"toolArgs":{}}`)}); err == nil {
			t.Errorf("%s: reads an event that is about no call", cli)
		}
	}
}

// FuzzRead: no payload makes an adapter panic; what it reads has calls that the decision
// takes, and every answer is exactly one JSON object or none.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.json")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, "", "why")
	}
	f.Add([]byte(`{"tool_name":"mcp____","tool_input":"{}"}`), "PermissionRequest", "\xff")
	f.Fuzz(func(t *testing.T, text []byte, event, reason string) {
		for _, cli := range harness.Names() {
			h, _ := harness.Find(cli)
			req, err := h.Read(harness.Input{Payload: text, Event: event, Now: noon, Getenv: func(string) string { return "Bash" }})
			if err == nil && len(req.Calls) == 0 {
				t.Fatalf("%s: no calls", cli)
			}
			for i := range req.Calls {
				if req.Calls[i].Kind == plangate.KindUnspecified || plangate.CheckJSON(req.Calls[i].Input) != nil {
					t.Fatalf("%s: bad call %+v", cli, req.Calls[i])
				}
			}
			for verdict := harness.Deny; verdict <= harness.Allow; verdict++ {
				out := h.Answer(req, harness.Answer{Verdict: verdict, Reason: reason})
				if len(out.Stdout) > 0 && plangate.CheckJSON(out.Stdout) != nil {
					t.Fatalf("%s: answers %q", cli, out.Stdout)
				}
			}
		}
	})
}
