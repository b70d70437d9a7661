package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/gate"
)

const operations = `{"providers": {
	"fs": {"operations": {
		"write_file": {"kind": "resource", "risk": "moderate", "description": "Write a file.", "input_schema": {
			"type": "object", "required": ["path"], "properties": {
				"path": {"type": "string"}, "content": {"type": "string"}, "secret": {"type": "string", "sensitive": true}}}},
		"read_file": {"kind": "data_source", "risk": "read_only", "description": "Read a file."},
		"delete_file": {"kind": "resource", "risk": "high", "description": "Delete a file."}}},
	"db": {"operations": {"query": {"kind": "data_source", "risk": "read_only", "description": "Query."},
		"update": {"kind": "resource", "risk": "high", "description": "Update."}}},
	"ui": {"operations": {"ask_user": {"kind": "interactive", "risk": "read_only", "description": "Ask the user."}}},
	"sh": {"operations": {"bash": {"kind": "resource", "risk": "high", "description": "Run a command.",
		"roles": {"command": ["/command"], "path": [], "url": [], "cwd": []}, "shell": "bash"}}}}}`

// world is a gate with everything around it in the hands of a test.
type world struct {
	t     *testing.T
	store *memory
	gate  *gate.Gate

	mu     sync.Mutex
	clock  time.Time
	policy gate.Policy
}

// newWorld makes a gate over an empty store. configure may change its configuration.
func newWorld(t *testing.T, policy string, configure ...func(*gate.Config)) *world {
	t.Helper()
	w := &world{t: t, store: newMemory(), clock: time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)}
	w.setPolicy(policy)
	config := gate.Config{Policy: w.currentPolicy, Store: w.store, Clock: w.now}
	for _, change := range configure {
		change(&config)
	}
	g, err := gate.New(config)
	if err != nil {
		t.Fatal(err)
	}
	w.gate = g
	return w
}

func (w *world) setPolicy(text string) {
	w.t.Helper()
	operations, findings := catalog.Parse("catalog.json", []byte(operations))
	file, more := dsl.Parse("agent.hcl", []byte(text))
	table, findings := compile.Compile(compile.Input{
		Layers:   []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}},
		Catalog:  operations,
		Findings: append(findings, more...),
	})
	if findings.HasErrors() {
		w.t.Fatal(findings)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.policy = gate.Policy{Table: table, Catalog: operations}
}

func (w *world) currentPolicy() gate.Policy {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.policy
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

func (w *world) open(id string) *gate.Session {
	w.t.Helper()
	s, err := w.gate.Open(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// plan plans calls and fails the test if that is refused.
func (w *world) plan(s *gate.Session, turn string, calls ...plangate.Call) *gate.Plan {
	w.t.Helper()
	plan, err := s.Plan(context.Background(), turn, calls)
	if err != nil {
		w.t.Fatal(err)
	}
	return plan
}

// answer gives a verdict as a human would who was shown the item.
func (w *world) answer(item gate.Item, v gate.Verdict) gate.Item {
	w.t.Helper()
	resolved, err := w.gate.Resolve(context.Background(), item.ID, verdict(item, v))
	if err != nil {
		w.t.Fatal(err)
	}
	return resolved.Item
}

func verdict(item gate.Item, v gate.Verdict) gate.Verdict {
	if v.Digest == "" {
		v.Digest = item.Digest
	}
	if v.Actor == "" {
		v.Actor = "ada@example.com"
	}
	return v
}

func (w *world) item(id string) gate.Item {
	w.t.Helper()
	item, err := w.gate.Item(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return item
}

// run claims and completes an item.
func (w *world) run(s *gate.Session, id string) {
	w.t.Helper()
	if _, err := s.Claim(context.Background(), id); err != nil {
		w.t.Fatal(err)
	}
	if _, err := s.Complete(context.Background(), id, gate.Result{Output: json.RawMessage(`"done"`)}); err != nil {
		w.t.Fatal(err)
	}
}

// events lists the audit records as EVENT:STATE.
func (w *world) events() []string {
	var out []string
	for _, r := range w.store.state.records {
		out = append(out, fmt.Sprintf("%s:%s", r.Event, r.State))
	}
	return out
}

func (w *world) records() []audit.Record { return w.store.state.records }

// call makes a call from "id provider.operation" and an input.
func call(text, input string) plangate.Call {
	id, name, _ := strings.Cut(text, " ")
	provider, operation, _ := strings.Cut(name, ".")
	return plangate.Call{
		ID: id, Provider: provider, Operation: operation, Input: json.RawMessage(input),
		Cwd: "/work", Workspace: "/work", Home: "/home/ada",
	}
}

func bash(id, command string) plangate.Call {
	text, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return call(id+" sh.bash", string(text))
}

// wantCode fails unless an error has a code.
func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %s", code)
	}
	if got := gate.Code(err); got != code {
		t.Errorf("code %s (%v), want %s", got, err, code)
	}
}

func wantState(t *testing.T, item gate.Item, state gate.State, by string) {
	t.Helper()
	if item.State != state || item.DecidedBy != by {
		t.Errorf("call %s: %s by %s, want %s by %s", item.Call.ID, item.State, item.DecidedBy, state, by)
	}
}

var errBoom = errors.New("boom")
