package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

const policyText = `
policy "allow_update" {
  match  = { provider = "db", operation = "update" }
  action = "allow"
}
policy "no_deletes" {
  match  = { operation = "delete_file" }
  action = "deny"
  reason = "Files stay."
}
policy "ask_reads" {
  match  = { operation = "query" }
  action = "ask"
}
guard "ask_etc" {
  match  = { operation = "write_file" }
  path   = ["/etc/**"]
  action = "ask"
}
`

func TestPlanDecidesEachItem(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s1")
	plan := w.plan(s, "t1",
		call("c1 db.update", `{"id": 1}`),
		call("c2 fs.write_file", `{"path": "/work/a"}`),
		call("c3 fs.delete_file", `{"path": "a"}`),
		call("c4 fs.read_file", `{"path": "a"}`),
		call("c5 db.query", `{}`),
		call("c6 ui.ask_user", `{"question": "Which?"}`),
		call("c7 x.unknown", `{}`),
	)
	want := []struct {
		state gate.State
		by    string
	}{
		{gate.Ready, "policy:allow_update"}, // D1
		{gate.Waiting, "default:resource"},  // D1
		{gate.Denied, "policy:no_deletes"},  // D1
		{gate.Ready, "default:data_source"}, // C1
		{gate.Denied, "policy:ask_reads"},   // C4, D16
		{gate.Ready, "default:interactive"}, // C1
		{gate.Waiting, "default:resource"},  // P3
	}
	for i, tt := range want {
		wantState(t, plan.Items[i], tt.state, tt.by)
		if plan.Items[i].Index != i || plan.Items[i].Call.ID != []string{"c1", "c2", "c3", "c4", "c5", "c6", "c7"}[i] {
			t.Errorf("GAT-1 item %d is call %s at %d", i, plan.Items[i].Call.ID, plan.Items[i].Index)
		}
	}
	if o := plan.Items[4].Outcome; o.Downgrade != plangate.DowngradeNoApplyStep || o.MatchedAction != plangate.Ask {
		t.Errorf("C4 downgrade %s of %s", o.Downgrade, o.MatchedAction)
	}
	if o := plan.Items[2].Outcome; o.Downgrade != plangate.DowngradeNone {
		t.Errorf("C3 a plain deny is downgraded: %s", o.Downgrade)
	}
	if got := plan.Items[1]; got.Kind != plangate.Resource || got.Risk != plangate.Moderate || got.Description != "Write a file." {
		t.Errorf("GAT-6 snapshot %s %s %q", got.Kind, got.Risk, got.Description)
	}
	if len(plan.Warnings) != 1 {
		t.Errorf("GAT-12 warnings %q, want one", plan.Warnings)
	}
	if again := w.plan(s, "t2", call("c1 db.query", `{}`)); len(again.Warnings) != 0 {
		t.Errorf("GAT-12 a second warning: %q", again.Warnings)
	}
	wantEvents := []string{
		"decision:ready", "decision:waiting", "approval_created:waiting", "decision:denied", "decision:ready",
		"decision:denied", "decision:ready", "decision:waiting", "approval_created:waiting", "decision:denied",
	}
	if got := w.events(); !slices.Equal(got, wantEvents) {
		t.Errorf("GAT-41 events %q, want %q", got, wantEvents)
	}
}

func TestPlanRefused(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s1")
	one := call("c1 db.update", `{}`)
	tests := []struct {
		name, turn string
		calls      []plangate.Call
	}{
		{"B7 no turn id", "", []plangate.Call{one}},
		{"B7 no call id", "t", []plangate.Call{call(" db.update", `{}`)}},
		{"appr-02 a call id twice", "t", []plangate.Call{one, one}},
		{"NUL in the turn", "t\x00", []plangate.Call{one}},
		{"too many", "t", make([]plangate.Call, gate.MaxCalls+1)},
		{"long id", strings.Repeat("t", gate.MaxIDBytes+1), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Plan(context.Background(), tt.turn, tt.calls)
			wantCode(t, err, "invalid_plan")
		})
	}
	if len(w.records()) != 0 {
		t.Error("GAT-2 something was stored")
	}
	if plan := w.plan(s, "t"); len(plan.Items) != 0 {
		t.Error("B8 an empty plan has items")
	}
}

func TestPlanAgain(t *testing.T) {
	hooked := 0
	w := newWorld(t, policyText, func(c *gate.Config) {
		c.Hooks = []gate.Hook{{Name: "count", Observe: func(context.Context, gate.PlanRequest) error {
			hooked++
			return nil
		}}}
	})
	s := w.open("s1")
	calls := []plangate.Call{call("c1 db.update", `{"a": 1, "b": 2}`), call("c2 fs.write_file", `{"path": "a"}`)}
	first := w.plan(s, "t1", calls...)
	w.setPolicy(`policy "none" {
  match  = {}
  action = "deny"
}`)
	calls[0].Input = json.RawMessage(`{"b":2,"a":1.0}`) // the same value
	again := w.plan(s, "t1", calls...)
	if !again.Repeated || again.ID != first.ID || again.Items[0].ID != first.Items[0].ID || again.Items[1].State != gate.Waiting {
		t.Errorf("GAT-3 planned anew: %+v", again)
	}
	if hooked != 1 {
		t.Errorf("GAT-3 the hooks ran %d times", hooked)
	}
	calls[0].Input = json.RawMessage(`{"a": 1, "b": 3}`)
	_, err := s.Plan(context.Background(), "t1", calls)
	wantCode(t, err, "duplicate")
	_, err = s.Plan(context.Background(), "t1", calls[:1])
	wantCode(t, err, "duplicate")
}

func TestInvalidCalls(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s1")
	plan := w.plan(s, "t1",
		call("c1 db.update", `{"a": 1, "a": 2}`),
		call("c2 db.update", `{`),
		plangate.Call{ID: "c3"},
		call("c4 db.update", `{"a": "\ud800"}`),
		call("c5 db.update", `[1]`),
		call("c6 db.update", `{}`),
	)
	for i, item := range plan.Items {
		if i < 5 {
			wantState(t, item, gate.Denied, "builtin:invalid_call") // C6
		} else {
			wantState(t, item, gate.Ready, "policy:allow_update")
		}
	}
	plan, err := s.PlanJSON(context.Background(), "t2", []json.RawMessage{
		[]byte(`{"id": "c1", "provider": "db", "operation": "update", "Operation": "x"}`),
		[]byte(`{"id": "c2", "provider": "db", "operation": "update"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, plan.Items[0], gate.Denied, "builtin:invalid_call")
	wantState(t, plan.Items[1], gate.Ready, "policy:allow_update")
}

// previewer answers previews by operation.
type previewer struct {
	calls chan string
	slow  chan struct{}
}

func (p *previewer) Preview(ctx context.Context, c plangate.Call) (json.RawMessage, error) {
	p.calls <- c.ID
	switch c.ID {
	case "broken":
		return nil, errBoom
	case "slow":
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.slow:
			return json.RawMessage(`"late"`), nil
		}
	case "deaf":
		<-p.slow
		return json.RawMessage(`"late"`), nil
	case "panics":
		panic("boom")
	case "garbage":
		return json.RawMessage(`{"a`), nil
	case "huge":
		return json.RawMessage(`"` + strings.Repeat("x", gate.MaxPreview) + `"`), nil
	case "none":
		return nil, nil
	}
	return json.RawMessage(`{"diff": "+a"}`), nil
}

func TestPreview(t *testing.T) {
	p := &previewer{calls: make(chan string, 20), slow: make(chan struct{})}
	defer close(p.slow)
	w := newWorld(t, policyText, func(c *gate.Config) { c.Preview, c.PreviewLimit = p, 50*time.Millisecond })
	s := w.open("s1")
	ids := []string{"fine", "broken", "slow", "deaf", "panics", "garbage", "huge", "none"} // B1, B3, B5
	var calls []plangate.Call
	for _, id := range ids {
		calls = append(calls, call(id+" fs.write_file", `{"path": "a"}`))
	}
	calls = append(calls, call("read fs.read_file", `{}`), call("ask ui.ask_user", `{}`), call("denied fs.delete_file", `{}`)) // B4
	plan := w.plan(s, "t1", calls...)
	for i, item := range plan.Items {
		if got, want := string(item.Preview), map[bool]string{true: `{"diff":"+a"}`, false: ""}[i == 0]; strings.ReplaceAll(got, " ", "") != want {
			t.Errorf("GAT-8 %s: preview %q, want %q", item.Call.ID, got, want)
		}
	}
	asked := []string{}
	for len(p.calls) > 0 { // some are still in their preview
		asked = append(asked, <-p.calls)
	}
	slices.Sort(asked)
	slices.Sort(ids)
	if !slices.Equal(asked, ids) {
		t.Errorf("GAT-8 asked about %q, want each of %q once", asked, ids)
	}
}

func TestDigest(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s1")
	inputs := []string{
		`{"a": 1, "b": "x"}`, `{"b":"\u0078","a":1.0}`, // equal
		`{"a": 1, "b": "x "}`, `{"a": "1", "b": "x"}`, `{"a": 1}`, `{}`, ``,
		`{"a": 9007199254740993, "b": "x"}`, `{"a": 9007199254740992, "b": "x"}`,
		`{"a": 0.1, "b": "x"}`, `{"a": 0.1000000000000000055511151231257827, "b": "x"}`,
		`{"a": 1e400}`, `{"a": 1e-400}`, `{"a": 0}`,
		`{"a": "é"}`, `{"a": "e` + "\u0301" + `"}`,
		`{"a": ` + strings.Repeat("1", 300) + `}`, `{"a": ` + strings.Repeat("1", 299) + `2}`,
	}
	seen := map[string]string{}
	for i, input := range inputs {
		plan := w.plan(s, "t"+string(rune('a'+i)), call("c db.update", input))
		if plan.Items[0].State != gate.Ready {
			t.Fatalf("%s: %s", input, plan.Items[0].Text)
		}
		digest := plan.Items[0].Digest
		if other, ok := seen[digest]; ok != (i == 1) {
			t.Errorf("GAT-9 %s has the digest of %s: %v", input, other, ok)
		}
		seen[digest] = input
	}
	for _, c := range []plangate.Call{call("c fs.update", inputs[0]), call("c db.write_file", inputs[0])} {
		if _, ok := seen[w.plan(s, "u"+c.Provider, c).Items[0].Digest]; ok {
			t.Errorf("GAT-9 %s.%s has the digest of another operation", c.Provider, c.Operation)
		}
	}
	risky := call("c db.update", inputs[0])
	risky.Risk = plangate.Critical
	if _, ok := seen[w.plan(s, "v", risky).Items[0].Digest]; ok {
		t.Error("GAT-9 another risk has the same digest")
	}
}

func TestConcurrencyKeys(t *testing.T) {
	w := newWorld(t, policyText, func(c *gate.Config) {
		c.Concurrency = func(provider, operation string) gate.ConcurrencySpec {
			switch operation {
			case "write_file":
				return gate.ConcurrencySpec{Safe: true, KeyFields: []string{"path"}}
			case "read_file", "ask_user":
				return gate.ConcurrencySpec{Safe: true}
			default:
				return gate.ConcurrencySpec{}
			}
		}
	})
	plan := w.plan(w.open("s"), "t",
		call("0 fs.write_file", `{"path": "a", "content": "1"}`), call("1 fs.write_file", `{"path":"\u0061"}`), call("2 fs.write_file", `{"path": "b"}`),
		call("3 fs.read_file", `{}`), call("4 fs.read_file", `{}`),
		call("5 db.update", `{}`), call("6 db.query", `{}`), call("7 fs.delete_file", `{}`),
		call("8 ui.ask_user", `{}`), call("9 ui.ask_user", `{}`), call("10 fs.write_file", `{}`))
	same := func(i, j int) bool { return plan.Items[i].ConcurrencyKey == plan.Items[j].ConcurrencyKey }
	for _, pair := range [][2]int{{0, 1}, {5, 6}, {8, 9}} {
		if !same(pair[0], pair[1]) {
			t.Errorf("GAT-10 items %v may run side by side", pair)
		}
	}
	for _, pair := range [][2]int{{0, 2}, {3, 4}, {5, 7}, {0, 10}, {3, 8}, {0, 7}} {
		if same(pair[0], pair[1]) {
			t.Errorf("GAT-10 items %v run one after the other", pair)
		}
	}
}

func TestHookChain(t *testing.T) {
	pass := func(context.Context, gate.PlanRequest) (gate.Vote, error) { return gate.Vote{Pass: true}, nil }
	tests := []struct {
		name string
		hook gate.Hook
		code string   // of the error of Plan
		by   []string // decided_by of the items
	}{
		{"observe fails", gate.Hook{Observe: func(context.Context, gate.PlanRequest) error { return errBoom }}, "",
			[]string{"policy:allow_update", "policy:no_deletes"}},
		{"observe panics", gate.Hook{Observe: func(context.Context, gate.PlanRequest) error { panic("boom") }}, "",
			[]string{"policy:allow_update", "policy:no_deletes"}},
		{"D12 transform fails", gate.Hook{Transform: func(context.Context, gate.PlanRequest, plangate.Call) (plangate.Call, error) {
			return plangate.Call{}, errBoom
		}}, "hook_error", nil},
		{"transform changes the id", gate.Hook{Transform: func(_ context.Context, _ gate.PlanRequest, c plangate.Call) (plangate.Call, error) {
			c.ID = "other"
			return c, nil
		}}, "hook_error", nil},
		{"transform, policy decides after", gate.Hook{Transform: func(_ context.Context, _ gate.PlanRequest, c plangate.Call) (plangate.Call, error) {
			c.Provider, c.Operation = "fs", "delete_file"
			return c, nil
		}}, "", []string{"policy:no_deletes", "policy:no_deletes"}},
		{"veto passes", gate.Hook{Veto: pass}, "", []string{"policy:allow_update", "policy:no_deletes"}},
		{"D11 veto", gate.Hook{Veto: func(context.Context, gate.PlanRequest) (gate.Vote, error) {
			return gate.Vote{Vetoed: true, Reason: "frozen"}, nil
		}}, "", []string{"hook-veto:h", "policy:no_deletes"}},
		{"veto fails", gate.Hook{Veto: func(context.Context, gate.PlanRequest) (gate.Vote, error) {
			return gate.Vote{Pass: true}, errBoom
		}}, "", []string{"hook-veto:h", "policy:no_deletes"}},
		{"veto panics", gate.Hook{Veto: func(context.Context, gate.PlanRequest) (gate.Vote, error) { panic("boom") }}, "",
			[]string{"hook-veto:h", "policy:no_deletes"}},
		{"no answer", gate.Hook{Veto: func(context.Context, gate.PlanRequest) (gate.Vote, error) { return gate.Vote{}, nil }}, "",
			[]string{"hook-veto:h", "policy:no_deletes"}},
		{"both answers", gate.Hook{Veto: func(context.Context, gate.PlanRequest) (gate.Vote, error) {
			return gate.Vote{Pass: true, Vetoed: true}, nil
		}}, "", []string{"hook-veto:h", "policy:no_deletes"}},
	}
	for _, tt := range tests {
		t.Run("GAT-17 "+tt.name, func(t *testing.T) {
			tt.hook.Name = "h"
			w := newWorld(t, policyText, func(c *gate.Config) {
				c.Hooks = []gate.Hook{tt.hook, {Name: "last", Veto: pass}}
			})
			plan, err := w.open("s").Plan(context.Background(), "t", []plangate.Call{call("c1 db.update", `{}`), call("c2 fs.delete_file", `{}`)})
			if tt.code != "" {
				wantCode(t, err, tt.code)
				if len(w.records()) > 0 {
					t.Error("something was stored")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, by := range tt.by {
				if plan.Items[i].DecidedBy != by {
					t.Errorf("item %d by %s, want %s", i, plan.Items[i].DecidedBy, by)
				}
			}
		})
	}
}

func TestConstruction(t *testing.T) {
	w := newWorld(t, policyText)
	whole := gate.Config{Policy: w.currentPolicy, Store: w.store, Clock: w.now}
	for name, change := range map[string]func(*gate.Config){
		"Policy": func(c *gate.Config) { c.Policy = nil },
		"Store":  func(c *gate.Config) { c.Store = nil },
		"Clock":  func(c *gate.Config) { c.Clock = nil },
		"hook without name": func(c *gate.Config) {
			c.Hooks = []gate.Hook{{Observe: func(context.Context, gate.PlanRequest) error { return nil }}}
		},
		"hook without task": func(c *gate.Config) { c.Hooks = []gate.Hook{{Name: "x"}} },
		"hook name in lines": func(c *gate.Config) {
			c.Hooks = []gate.Hook{{Name: "x\ny", Observe: func(context.Context, gate.PlanRequest) error { return nil }}}
		},
	} {
		config := whole
		change(&config)
		if _, err := gate.New(config); err == nil {
			t.Errorf("D18 %s: no error", name)
		}
	}
}

func TestStoreFails(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	w.store.fail = gate.ErrStoreUnavailable
	_, err := s.Plan(context.Background(), "t", []plangate.Call{call("c1 db.update", `{}`)})
	wantCode(t, err, "store_unavailable") // D17, GAT-43
	w.store.fail = nil
	plan := w.plan(s, "t", call("c1 db.update", `{}`))
	w.store.fail = errBoom
	if _, err := s.Claim(context.Background(), plan.Items[0].ID); !errors.Is(err, errBoom) {
		t.Errorf("a claim without a store: %v", err)
	}
}
