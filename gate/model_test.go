package gate_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
)

// lawful are the moves of GAT-4.
var lawful = map[[2]gate.State]bool{
	{gate.Waiting, gate.Ready}: true, {gate.Waiting, gate.Denied}: true, {gate.Ready, gate.Running}: true,
	{gate.Ready, gate.Denied}: true, {gate.Running, gate.Done}: true, {gate.Running, gate.Interrupted}: true,
}

// machine plays a gate at random and keeps what must hold.
type machine struct {
	w        *world
	session  *gate.Session
	turns    int
	items    map[string]gate.Item // as last seen
	order    []string             // of ids
	ran      map[string]int       // claims that were won
	answered map[string]int
}

// look compares an item with what it was when it was last seen.
func (m *machine) look(t *rapid.T, id string) gate.Item {
	var item gate.Item
	if err := m.w.store.View(ctx, func(r gate.Reader) (err error) {
		item, err = r.Item(id)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	before, seen := m.items[id]
	if seen && before.State != item.State && !lawful[[2]gate.State{before.State, item.State}] &&
		!(before.State == gate.Waiting && item.State == gate.Running) && !(before.State == gate.Ready && item.State == gate.Done) {
		t.Fatalf("GAT-4 %s became %s", before.State, item.State)
	}
	if seen && (before.Kind != item.Kind || before.Risk != item.Risk || before.Description != item.Description || before.Created != item.Created) {
		t.Fatal("GAT-6 the snapshot has changed")
	}
	m.items[id] = item
	return item
}

func (m *machine) pick(t *rapid.T) (gate.Item, bool) {
	if len(m.order) == 0 {
		return gate.Item{}, false
	}
	return m.look(t, rapid.SampledFrom(m.order).Draw(t, "item")), true
}

var modelCalls = []plangate.Call{
	call("a db.update", `{"id": 1}`), call("b fs.write_file", `{"path": "a"}`), call("c fs.delete_file", `{}`),
	call("d fs.read_file", `{}`), call("e db.query", `{}`), call("f fs.write_file", `{"path": "/etc/x"}`), bash("g", "make x"),
}

func (m *machine) Plan(t *rapid.T) {
	m.turns++
	calls := rapid.SliceOfNDistinct(rapid.SampledFrom(modelCalls), 0, 5, func(c plangate.Call) string { return c.ID }).Draw(t, "calls")
	plan, err := m.session.Plan(ctx, fmt.Sprint(m.turns), calls)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range plan.Items {
		m.order = append(m.order, item.ID)
		m.look(t, item.ID)
	}
}

func (m *machine) Answer(t *rapid.T) {
	item, ok := m.pick(t)
	if !ok {
		t.Skip()
	}
	v := verdict(item, gate.Verdict{
		Decision: rapid.SampledFrom([]plangate.Action{plangate.Allow, plangate.Deny}).Draw(t, "decision"),
		Scope:    rapid.SampledFrom([]gate.Scope{gate.ScopeOnce, gate.ScopeSession, gate.ScopeAlways}).Draw(t, "scope"),
		Actor:    fmt.Sprint("actor ", rapid.IntRange(1, 3).Draw(t, "actor")),
	})
	expired := item.State == gate.Waiting && !m.w.now().Before(item.Expires)
	resolved, err := m.w.gate.Resolve(ctx, item.ID, v)
	after := m.look(t, item.ID)
	switch {
	case err == nil && !resolved.Repeated:
		if item.State != gate.Waiting || expired || m.answered[item.ID] > 0 {
			t.Fatalf("GAT-19 an answer to an item that was %s (expired %v)", item.State, expired)
		}
		m.answered[item.ID]++
		if want := map[plangate.Action]gate.State{plangate.Allow: gate.Ready, plangate.Deny: gate.Denied}[v.Decision]; after.State != want {
			t.Fatalf("answered %s and is %s", v.Decision, after.State)
		}
	case err == nil:
		if m.answered[item.ID] != 1 {
			t.Fatal("GAT-27 a repeat of nothing")
		}
	case item.State == gate.Waiting && !expired && after.State != gate.Waiting:
		t.Fatalf("an error (%v) moved the item to %s", err, after.State)
	}
}

func (m *machine) Claim(t *rapid.T) {
	item, ok := m.pick(t)
	if !ok {
		t.Skip()
	}
	claimed, err := m.session.Claim(ctx, item.ID)
	if (err == nil) != (item.State == gate.Ready) {
		t.Fatalf("GAT-34 claim of an item that is %s: %v", item.State, err)
	}
	if err != nil {
		return
	}
	if m.ran[item.ID]++; m.ran[item.ID] > 1 {
		t.Fatal("GAT-34 claimed twice")
	}
	if string(claimed.Call.Input) != string(item.Call.Input) || claimed.Digest != item.Digest {
		t.Fatal("something else was claimed")
	}
}

func (m *machine) Complete(t *rapid.T) {
	item, ok := m.pick(t)
	if !ok {
		t.Skip()
	}
	_, err := m.session.Complete(ctx, item.ID, gate.Result{Output: json.RawMessage(`1`)})
	if (err == nil) != (item.State == gate.Running) {
		t.Fatalf("GAT-36 completion of an item that is %s: %v", item.State, err)
	}
}

func (m *machine) UserMessage(t *rapid.T) {
	if _, err := m.session.UserMessage(ctx); err != nil {
		t.Fatal(err)
	}
	for _, id := range m.order {
		if m.look(t, id).State == gate.Waiting {
			t.Fatal("GAT-32 an item still waits")
		}
	}
}

func (m *machine) Restart(t *rapid.T) {
	old := m.session
	s, err := m.w.gate.Open(ctx, "s")
	if err != nil {
		t.Fatal(err)
	}
	m.session = s
	for _, id := range m.order {
		if m.look(t, id).State == gate.Running {
			t.Fatal("GAT-33 an item still runs")
		}
	}
	if _, err := old.UserMessage(ctx); gate.Code(err) != "session_taken_over" {
		t.Fatalf("GAT-33 %v", err)
	}
	left, err := s.Resume(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range slices.Concat(left.Ready, left.Waiting) {
		if m.ran[item.ID] > 0 {
			t.Fatal("GAT-37 what has run is left to run")
		}
	}
}

func (m *machine) Time(t *rapid.T) {
	m.w.pass(time.Duration(rapid.IntRange(1, 90).Draw(t, "minutes")) * time.Minute)
}

// Check holds after every step.
func (m *machine) Check(t *rapid.T) {
	decisions, answers := map[string]int{}, map[string]int{}
	var head audit.Head
	for _, r := range m.w.records() {
		if r.Seq != head.Seq+1 || r.Prev != head.Hash {
			t.Fatal("the chain of records is broken")
		}
		head = r.Head()
		if r.Event == audit.Decision {
			decisions[r.Item]++
		}
		if r.Event == audit.ApprovalAnswered {
			answers[r.Item]++
		}
	}
	for _, id := range m.order {
		if decisions[id] != 1 || answers[id] > 1 {
			t.Fatalf("audit-08 %d decisions, %d answers", decisions[id], answers[id])
		}
		if item := m.look(t, id); item.State == gate.Denied && m.ran[id] > 0 || item.State == gate.Denied && item.Text == "" {
			t.Fatal("appr-12 a denied item ran, or has no text")
		}
	}
}

func TestModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t, policyText, func(c *gate.Config) { c.Write = &scriptedWriter{place: "agent.hcl:1"} })
		m := &machine{w: w, session: w.open("s"), items: map[string]gate.Item{}, ran: map[string]int{}, answered: map[string]int{}}
		r.Repeat(rapid.StateMachineActions(m))
	})
}
