package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
)

var ctx = context.Background()

// ask plans one write that has to be asked about.
func (w *world) ask(s *gate.Session, turn string) gate.Item {
	w.t.Helper()
	item := w.plan(s, turn, call("c1 fs.write_file", `{"path": "a.txt"}`)).Items[0]
	if item.State != gate.Waiting {
		w.t.Fatalf("%s by %s", item.State, item.DecidedBy)
	}
	return item
}

func TestVerdictAllow(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	item := w.ask(s, "t")
	got := w.answer(item, gate.Verdict{Decision: plangate.Allow, Message: "Mind the gap."})
	wantState(t, got, gate.Ready, "default:resource+approval:ada@example.com") // D3, GAT-18
	if got.Note != "Mind the gap." || got.Text != "" {
		t.Errorf("GAT-29 note %q, text %q", got.Note, got.Text)
	}
	w.run(s, item.ID)
	out, err := s.Outcomes(ctx, "t")
	if err != nil || out.Results[0].Kind != gate.Applied || out.Results[0].Note != "Mind the gap." {
		t.Errorf("outcome %+v, %v", out, err)
	}
}

func TestVerdictDeny(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	item := w.ask(s, "t")
	got := w.answer(item, gate.Verdict{Decision: plangate.Deny, Message: "use the read-only\x1b[2K endpoint"})
	wantState(t, got, gate.Denied, "default:resource+approval:ada@example.com")
	if n := strings.Count(got.Text, "use the read-only"); n != 1 || strings.Contains(got.Text, "\x1b") {
		t.Errorf("deny-08 the text has the message %d times: %q", n, got.Text)
	}
	for _, part := range []string{"fs.write_file", "default:resource", "not executed", "person", "not a failure"} {
		if !strings.Contains(got.Text, part) {
			t.Errorf("deny-07, D13: %q does not say %q", got.Text, part)
		}
	}
	if got.Ending != gate.EndHuman {
		t.Errorf("ending %s", got.Ending)
	}
	out, err := s.Outcomes(ctx, "t")
	if err != nil || out.Results[0].Kind != gate.ResultDenied || !out.Results[0].IsError || out.Results[0].Retryable ||
		out.Results[0].Category != "permission_denied" || out.Results[0].CallID != "c1" {
		t.Errorf("C7, R1: %+v, %v", out, err)
	}
	records := w.records()
	if last := records[len(records)-1]; !strings.Contains(last.Message, "read-only") || last.Actor != "ada@example.com" {
		t.Errorf("deny-08 the record: %q by %q", last.Message, last.Actor)
	}
}

func TestVerdictRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(*gate.Verdict)
		code   string
	}{
		{"V1 ask is no answer", func(v *gate.Verdict) { v.Decision = plangate.Ask }, "invalid_verdict"},
		{"V1 hook is no answer", func(v *gate.Verdict) { v.Decision = plangate.Hook }, "invalid_verdict"},
		{"no actor", func(v *gate.Verdict) { v.Actor = "" }, "invalid_verdict"},
		{"actor in two lines", func(v *gate.Verdict) { v.Actor = "a\nb" }, "invalid_verdict"},
		{"actor with a bidi mark", func(v *gate.Verdict) { v.Actor = "a\u202eb" }, "invalid_verdict"},
		{"long actor", func(v *gate.Verdict) { v.Actor = strings.Repeat("a", gate.MaxActorBytes+1) }, "invalid_verdict"},
		{"unknown scope", func(v *gate.Verdict) { v.Scope = "forever" }, "invalid_verdict"},
		{"long message", func(v *gate.Verdict) { v.Message = strings.Repeat("a", gate.MaxTextBytes+1) }, "invalid_verdict"},
		{"message not UTF-8", func(v *gate.Verdict) { v.Message = "\xff" }, "invalid_verdict"},
		{"correction with deny", func(v *gate.Verdict) {
			v.Decision, v.CorrectedInput = plangate.Deny, json.RawMessage(`{"path": "b"}`)
		}, "invalid_verdict"},
		{"appr-02 another digest", func(v *gate.Verdict) { v.Digest = "sha256:00" }, "stale"},
		{"D5 correction against the schema", func(v *gate.Verdict) { v.CorrectedInput = json.RawMessage(`{"path": 1}`) }, "invalid_correction"},
		{"correction is no object", func(v *gate.Verdict) { v.CorrectedInput = json.RawMessage(`[]`) }, "invalid_correction"},
		{"correction is no JSON", func(v *gate.Verdict) { v.CorrectedInput = json.RawMessage(`{`) }, "invalid_correction"},
		{"correction is null", func(v *gate.Verdict) { v.CorrectedInput = json.RawMessage(`null`) }, "invalid_correction"},
		{"correction is empty", func(v *gate.Verdict) { v.CorrectedInput = json.RawMessage(``) }, "invalid_correction"},
		{"correction with a key twice", func(v *gate.Verdict) { v.CorrectedInput = json.RawMessage(`{"path": "a", "path": "b"}`) }, "invalid_correction"},
		{"D8 always without a store", func(v *gate.Verdict) { v.Scope = gate.ScopeAlways }, "no_policy_store"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, policyText)
			item := w.ask(w.open("s"), "t")
			before := len(w.records())
			v := verdict(item, gate.Verdict{Decision: plangate.Allow})
			tt.change(&v)
			_, err := w.gate.Resolve(ctx, item.ID, v)
			wantCode(t, err, tt.code)
			after := w.item(item.ID)
			if after.State != gate.Waiting || after.Digest != item.Digest || after.Answer != nil {
				t.Errorf("the item has changed: %s by %s", after.State, after.DecidedBy)
			}
			if len(w.records()) != before {
				t.Error("a record was written")
			}
		})
	}
	w := newWorld(t, policyText)
	item := w.ask(w.open("s"), "t")
	v := verdict(item, gate.Verdict{Decision: plangate.Allow})
	v.Digest = ""
	_, err := w.gate.Resolve(ctx, item.ID, v)
	wantCode(t, err, "invalid_verdict")
	_, err = w.gate.Resolve(ctx, "c1", verdict(item, gate.Verdict{Decision: plangate.Allow})) // by the model's id
	wantCode(t, err, "not_found")
}

func TestSecondAnswer(t *testing.T) {
	w := newWorld(t, policyText)
	item := w.ask(w.open("s"), "t")
	first := verdict(item, gate.Verdict{Decision: plangate.Allow, Actor: "ada"})
	w.answer(item, first)
	w.pass(time.Minute)
	before := len(w.records())
	again, err := w.gate.Resolve(ctx, item.ID, first)
	if err != nil || !again.Repeated {
		t.Errorf("appr-01 the same answer again: %+v, %v", again.Repeated, err)
	}
	_, err = w.gate.Resolve(ctx, item.ID, verdict(item, gate.Verdict{Decision: plangate.Deny, Actor: "bob"}))
	wantCode(t, err, "already_answered")
	answered, ok := errors.AsType[*gate.AlreadyAnswered](err)
	if !ok || answered.Decision != plangate.Allow || answered.Actor != "ada" || !answered.At.Equal(w.clock.Add(-time.Minute)) {
		t.Errorf("appr-01 by whom and when: %+v", answered)
	}
	if !errors.Is(err, gate.ErrNotPending) {
		t.Error("it does not match ErrNotPending")
	}
	if len(w.records()) != before {
		t.Error("GAT-28 a record was written")
	}
	wantState(t, w.item(item.ID), gate.Ready, "default:resource+approval:ada")
}

func TestOneWinner(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	item := w.ask(s, "t")
	var won, lost atomic.Int32
	var wait sync.WaitGroup
	for i := range 32 {
		wait.Go(func() {
			v := gate.Verdict{Decision: []plangate.Action{plangate.Allow, plangate.Deny}[i%2], Actor: fmt.Sprint("actor ", i)}
			_, err := w.gate.Resolve(ctx, item.ID, verdict(item, v))
			switch {
			case err == nil:
				won.Add(1)
			case gate.Code(err) == "already_answered":
				lost.Add(1)
			}
		})
	}
	wait.Wait()
	if won.Load() != 1 || lost.Load() != 31 {
		t.Errorf("GAT-19 %d won, %d lost", won.Load(), lost.Load())
	}
}

func TestCorrection(t *testing.T) {
	const policy = policyText + `
guard "no_secrets" {
  match  = { operation = "write_file" }
  path   = ["**/.env"]
  action = "deny"
}
`
	w := newWorld(t, policy)
	s := w.open("s")
	item := w.ask(s, "t")
	got := w.answer(item, gate.Verdict{Decision: plangate.Allow, CorrectedInput: json.RawMessage(` {"path": "b.txt"}`)})
	wantState(t, got, gate.Ready, "default:resource+approval:ada@example.com")
	if compact(got.Call.Input) != `{"path":"b.txt"}` || string(got.Original) != `{"path":"a.txt"}` || got.Digest == item.Digest {
		t.Errorf("D4 %s, original %s", got.Call.Input, got.Original)
	}
	claimed, err := s.Claim(ctx, item.ID)
	if err != nil || string(claimed.Call.Input) != `{"path":"b.txt"}` {
		t.Errorf("D4 what runs: %s, %v", claimed.Call.Input, err)
	}

	item = w.ask(s, "t2")
	resolved, err := w.gate.Resolve(ctx, item.ID, verdict(item, gate.Verdict{Decision: plangate.Allow, CorrectedInput: json.RawMessage(`{"path": "/work/.env"}`)}))
	wantCode(t, err, "policy_denies")
	wantState(t, resolved.Item, gate.Denied, "guard:no_secrets+approval:ada@example.com")
	if resolved.Item.Ending != gate.EndPolicy || string(resolved.Item.Call.Input) != `{"path":"a.txt"}` {
		t.Errorf("GAT-21 ending %s, input %s", resolved.Item.Ending, resolved.Item.Call.Input)
	}

	// D6, D7: no catalog knows the operation.
	item = w.plan(s, "t3", call("c1 x.unknown", `{"a": 1}`)).Items[0]
	got = w.answer(item, gate.Verdict{Decision: plangate.Allow, CorrectedInput: json.RawMessage(`{"b": [2]}`)})
	wantState(t, got, gate.Ready, "default:resource+approval:ada@example.com")
}

func TestPolicyChangesBeforeTheAnswer(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	denied, once := w.ask(s, "t1"), w.ask(s, "t2")
	ready := w.answer(once, gate.Verdict{Decision: plangate.Allow})
	w.setPolicy(policyText + `
guard "frozen" {
  match  = { operation = "write_file" }
  action = "deny"
}`)
	_, err := w.gate.Resolve(ctx, denied.ID, verdict(denied, gate.Verdict{Decision: plangate.Allow, Scope: gate.ScopeSession}))
	if code := gate.Code(err); code != "policy_denies" && code != "would_loosen" {
		t.Errorf("GAT-21 %v", err)
	}
	_, err = s.Claim(ctx, ready.ID)
	wantCode(t, err, "policy_denies")
	wantState(t, w.item(ready.ID), gate.Denied, "guard:frozen")
	if _, err := s.Claim(ctx, ready.ID); !errors.Is(err, gate.ErrNotReady) {
		t.Errorf("GAT-35 claimed again: %v", err)
	}
}

func TestExpiry(t *testing.T) {
	for _, tt := range []struct {
		name, policy string
		cancel       bool
	}{
		{"deny", "approvals {\n  expires_in = \"5m\"\n}", false},
		{"cancel_turn", "approvals {\n  expires_in = \"5m\"\n  on_expire = \"cancel_turn\"\n}", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.policy)
			s := w.open("s")
			item := w.ask(s, "t")
			w.pass(5*time.Minute - time.Microsecond)
			if pending, err := w.gate.Pending(ctx, gate.PendingQuery{}); err != nil || len(pending) != 1 {
				t.Fatalf("before its end: %v, %v", pending, err)
			}
			w.pass(time.Microsecond)
			_, err := w.gate.Resolve(ctx, item.ID, verdict(item, gate.Verdict{Decision: plangate.Allow}))
			wantCode(t, err, "expired")
			if expired, ok := errors.AsType[*gate.Expired](err); !ok || !expired.At.Equal(item.Expires) {
				t.Errorf("appr-07 expired at %v", expired)
			}
			if pending, err := w.gate.Pending(ctx, gate.PendingQuery{}); err != nil || len(pending) != 0 {
				t.Errorf("appr-07 still pending: %v, %v", pending, err)
			}
			w.pass(-time.Hour)
			_, err = w.gate.Resolve(ctx, item.ID, verdict(item, gate.Verdict{Decision: plangate.Allow}))
			wantCode(t, err, "expired") // GAT-31
			out, err := s.Outcomes(ctx, "t")
			if err != nil || out.CancelTurn != tt.cancel || !strings.Contains(out.Results[0].Text, "Nothing ran") {
				t.Errorf("GAT-30 %+v, %v", out, err)
			}
			got := w.item(item.ID)
			wantState(t, got, gate.Denied, "default:resource+expired")
			if got.Ending != gate.EndExpired || strings.Contains(got.Text, "decision and not a failure") {
				t.Errorf("ending %s: %s", got.Ending, got.Text)
			}
		})
	}
}

func TestExpiryIsSeenByEverything(t *testing.T) {
	looks := map[string]func(*world, *gate.Session, gate.Item){
		"list":     func(w *world, _ *gate.Session, _ gate.Item) { _, _ = w.gate.Pending(ctx, gate.PendingQuery{}) },
		"get":      func(w *world, _ *gate.Session, i gate.Item) { w.item(i.ID) },
		"resume":   func(_ *world, s *gate.Session, _ gate.Item) { _, _ = s.Resume(ctx) },
		"wait":     func(_ *world, s *gate.Session, _ gate.Item) { _, _ = s.Wait(ctx) },
		"outcomes": func(_ *world, s *gate.Session, _ gate.Item) { _, _ = s.Outcomes(ctx, "t") },
		"plan":     func(w *world, s *gate.Session, i gate.Item) { w.plan(s, "t", i.Call) },
	}
	for name, look := range looks {
		w := newWorld(t, "")
		s := w.open("s")
		item := w.ask(s, "t")
		w.pass(time.Hour)
		look(w, s, item)
		if events := w.events(); events[len(events)-1] != "approval_expired:denied" {
			t.Errorf("%s: the last event is %s", name, events[len(events)-1])
		}
	}
}

func TestManyExpireAtOnce(t *testing.T) {
	w := newWorld(t, "")
	for _, session := range []string{"a", "b"} {
		s := w.open(session)
		for turn := range 3 {
			var calls []plangate.Call
			for i := range 150 {
				calls = append(calls, call(fmt.Sprintf("c%d fs.write_file", i), `{"path": "a"}`))
			}
			w.plan(s, fmt.Sprint(turn), calls...)
		}
	}
	w.pass(time.Hour)
	if pending, err := w.gate.Pending(ctx, gate.PendingQuery{}); err != nil || len(pending) != 0 {
		t.Errorf("%d pending, %v", len(pending), err)
	}
	expired := 0
	for _, event := range w.events() {
		if event == "approval_expired:denied" {
			expired++
		}
	}
	if expired != 900 {
		t.Errorf("%d records of 900", expired)
	}
}

func TestUserMessage(t *testing.T) {
	w := newWorld(t, policyText)
	s, other := w.open("s"), w.open("other")
	first := w.plan(s, "t1", call("c1 fs.write_file", `{"path": "a"}`), call("c2 db.update", `{}`), call("c3 fs.write_file", `{"path": "b"}`))
	theirs := w.ask(other, "t1")
	allowed := w.answer(first.Items[2], gate.Verdict{Decision: plangate.Allow})
	ended, err := s.UserMessage(ctx)
	if err != nil || len(ended) != 1 || ended[0].ID != first.Items[0].ID {
		t.Fatalf("appr-08 ended %v, %v", ended, err)
	}
	wantState(t, ended[0], gate.Denied, "default:resource+superseded")
	_, err = w.gate.Resolve(ctx, ended[0].ID, verdict(ended[0], gate.Verdict{Decision: plangate.Allow}))
	wantCode(t, err, "superseded")
	if !errors.Is(err, gate.ErrNotPending) {
		t.Error("it does not match ErrNotPending")
	}
	if got := w.item(theirs.ID).State; got != gate.Waiting {
		t.Errorf("GAT-32 another session's item is %s", got)
	}
	w.run(s, allowed.ID) // what was allowed before stays so
}

// compact removes the spaces of a small JSON text.
func compact(text json.RawMessage) string { return strings.ReplaceAll(string(text), " ", "") }
