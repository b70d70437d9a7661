package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// scripted answers every request alike.
type scripted struct {
	response Response
	err      error
}

func (s scripted) Answer(context.Context, Request) (Response, error) { return s.response, s.err }

const oneCase = `{
  "about": "x", "covers": ["DEC-1"],
  "calls": [{"call": {"operation": "a"}, "want": {"action": "ask", "rule": {"line": 3}}}]
}`

func oneVector(t *testing.T, caseText string) []Vector {
	t.Helper()
	vectors, err := Load(fstest.MapFS{
		"area/one/case.json": {Data: []byte(caseText)},
		"area/one/agent.hcl": {Data: []byte("")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

const goodDecision = `{"id":"call-1","action":"ask","decided_by":"policy:p","matched_action":"ask","downgrade":"none",
  "reason":"r","rule":{"type":"policy","name":"p","layer":"user","file":"f","line":3},"unknown":[]}`

func TestRunReportsEachFailure(t *testing.T) {
	answer := func(decisions ...string) Response {
		r := Response{ID: "area/one"}
		for _, d := range decisions {
			r.Decisions = append(r.Decisions, json.RawMessage(d))
		}
		return r
	}
	with := func(old, new string) string { return strings.Replace(goodDecision, old, new, 1) }
	tests := []struct {
		name           string
		implementation scripted
		failed         bool
	}{
		{"right", scripted{response: answer(goodDecision)}, false},
		{"no answer", scripted{err: errors.New("crashed")}, true},
		{"reported error", scripted{response: Response{ID: "area/one", Error: "no"}}, true},
		{"other id", scripted{response: Response{ID: "area/two", Decisions: []json.RawMessage{[]byte(goodDecision)}}}, true},
		{"too few decisions", scripted{response: answer()}, true},
		{"too many decisions", scripted{response: answer(goodDecision, goodDecision)}, true},
		{"not an object", scripted{response: answer(`"allow"`)}, true},
		{"null", scripted{response: answer(`null`)}, true},
		{"other action", scripted{response: answer(with(`"action":"ask"`, `"action":"allow"`))}, true},
		{"unknown word", scripted{response: answer(with(`"action":"ask"`, `"action":"maybe"`))}, true},
		{"other line", scripted{response: answer(with(`"line":3`, `"line":4`))}, true},
		{"line as text", scripted{response: answer(with(`"line":3`, `"line":"3"`))}, true},
		{"rule is no object", scripted{response: answer(with(`{"type":"policy","name":"p","layer":"user","file":"f","line":3}`, `3`))}, true},
		{"missing key", scripted{response: answer(with(`,"unknown":[]`, ``))}, true},
		{"no reason", scripted{response: answer(with(`"reason":"r"`, `"reason":""`))}, true},
		{"other call id", scripted{response: answer(with(`call-1`, `call-2`))}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			report, err := Run(t.Context(), test.implementation, oneVector(t, oneCase))
			if err != nil {
				t.Fatal(err)
			}
			want := Report{Total: 1, Passed: 1}
			if test.failed {
				want.Passed, want.Failed = 0, 1
			}
			got := report
			got.Failures = nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			if len(report.Failures) != want.Failed || test.failed && len(report.Failures[0].Reasons) == 0 {
				t.Errorf("failures: %+v", report.Failures)
			}
		})
	}
}

func TestRunNothingIsAnError(t *testing.T) {
	if _, err := Run(t.Context(), scripted{}, nil); !errors.Is(err, ErrNoVectors) {
		t.Errorf("got %v, want ErrNoVectors", err)
	}
}

func TestRunStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report, err := Run(ctx, scripted{}, oneVector(t, oneCase))
	if !errors.Is(err, context.Canceled) || report.Total != 0 {
		t.Errorf("got %+v, %v", report, err)
	}
}

func TestDiagnosticsAreComparedExactly(t *testing.T) {
	diagnostic := func(severity, code string, line int) json.RawMessage {
		text, err := json.Marshal(map[string]any{
			"severity": severity, "code": code, "summary": "s", "detail": "d", "witness": map[string]any{"id": "", "provider": "p", "operation": "o"},
			"range":   map[string]any{"file": "agent.hcl", "start": map[string]any{"line": line, "column": 1, "byte": line}, "end": map[string]any{"line": line, "column": 5}},
			"related": []any{map[string]any{"message": "m", "range": map[string]any{"file": "agent.hcl", "start": map[string]any{"line": 9, "column": 2}, "end": map[string]any{"line": 9, "column": 3}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	const fullWant = `{"severity":"error","code":"c","range":{"start":{"line":1,"column":1},"end":{"line":1,"column":5}},
	  "related":[{"file":"agent.hcl","start":{"line":9,"column":2},"end":{"line":9,"column":3}}],"witness":{"operation":"o"}}`
	tests := []struct {
		name, want string
		got        []json.RawMessage
		failures   int
	}{
		{"none expected, none reported", `[]`, nil, 0},
		{"all parts fit", `[` + fullWant + `]`, []json.RawMessage{diagnostic("error", "c", 1)}, 0},
		{"missing", `[` + fullWant + `]`, nil, 1},
		{"other line", `[` + fullWant + `]`, []json.RawMessage{diagnostic("error", "c", 2)}, 2},
		{"other code", `[` + fullWant + `]`, []json.RawMessage{diagnostic("error", "d", 1)}, 2},
		{"other severity", `[` + fullWant + `]`, []json.RawMessage{diagnostic("warning", "c", 1)}, 2},
		{"unexpected warning", `[]`, []json.RawMessage{diagnostic("warning", "c", 1)}, 1},
		{"twice reported, once expected", `[` + fullWant + `]`, []json.RawMessage{diagnostic("error", "c", 1), diagnostic("error", "c", 1)}, 1},
		{"other witness", strings.Replace(`[`+fullWant+`]`, `"o"`, `"q"`, 1), []json.RawMessage{diagnostic("error", "c", 1)}, 2},
		{"other related", strings.Replace(`[`+fullWant+`]`, `"line":9`, `"line":8`, 1), []json.RawMessage{diagnostic("error", "c", 1)}, 2},
		{"malformed", `[]`, []json.RawMessage{[]byte(`{"severity":"fatal"}`)}, 1},
		{"missing keys", `[{"code":"c"}]`, []json.RawMessage{[]byte(`{"severity":"error","code":"c","summary":"s","detail":"d","range":{}}`)}, 2},
		{"not sorted", `[{"code":"c"},{"code":"c"}]`, []json.RawMessage{diagnostic("error", "c", 2), diagnostic("error", "c", 1)}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			vectors := oneVector(t, `{"about": "x", "covers": ["DEC-1"], "diagnostics": `+test.want+`}`)
			response := Response{ID: "area/one", Diagnostics: test.got}
			if got := compare(&vectors[0], &response); len(got) != test.failures {
				t.Errorf("got %d failures, want %d:\n%s", len(got), test.failures, strings.Join(got, "\n"))
			}
		})
	}
}

func TestWithoutDiagnosticsOnlyErrorsFail(t *testing.T) {
	vectors := oneVector(t, oneCase)
	response := Response{ID: "area/one", Decisions: []json.RawMessage{[]byte(goodDecision)}}
	response.Diagnostics = []json.RawMessage{[]byte(`{"severity":"warning","code":"c","summary":"s","detail":"d","range":{},"related":[],"witness":null}`)}
	if got := compare(&vectors[0], &response); len(got) != 0 {
		t.Errorf("a warning failed the vector: %v", got)
	}
	response.Diagnostics = []json.RawMessage{[]byte(`{"severity":"error","code":"c","summary":"s","detail":"d","range":{},"related":[],"witness":null}`)}
	if got := compare(&vectors[0], &response); len(got) != 1 {
		t.Errorf("an error did not fail the vector: %v", got)
	}
}
