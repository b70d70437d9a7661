package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/breaker"
	"github.com/plangate/plangate/decisionhook"
	"github.com/plangate/plangate/gate"
)

// coded is an error with a code.
type coded struct{ code string }

func (e *coded) Error() string { return e.code }
func (e *coded) Code() string  { return e.code }

// scriptedWriter records what is written, unless it has an error.
type scriptedWriter struct {
	place   string
	err     error
	written []gate.AlwaysVerdict
}

func (s *scriptedWriter) WriteAlways(_ context.Context, v gate.AlwaysVerdict) (string, error) {
	if s.err != nil {
		return "", s.err
	}
	s.written = append(s.written, v)
	return s.place, nil
}

func TestOneClaim(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	item := w.plan(s, "t", call("1 db.update", `{}`)).Items[0]
	var won atomic.Int32
	var wait sync.WaitGroup
	for range 32 {
		wait.Go(func() {
			if _, err := s.Claim(ctx, item.ID); err == nil {
				won.Add(1)
			} else if gate.Code(err) != "not_ready" {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if won.Load() != 1 {
		t.Errorf("GAT-34 %d claims won", won.Load())
	}
}

func TestClaimRefused(t *testing.T) {
	w := newWorld(t, policyText)
	s, other := w.open("s"), w.open("other")
	plan := w.plan(s, "t", call("1 fs.write_file", `{"path": "a"}`), call("2 fs.delete_file", `{}`), call("3 db.update", `{}`))
	for i, state := range []gate.State{gate.Waiting, gate.Denied} {
		_, err := s.Claim(ctx, plan.Items[i].ID)
		notReady, ok := errors.AsType[*gate.NotReady](err)
		if !ok || notReady.State != state {
			t.Errorf("GAT-34 item %d: %v", i, err)
		}
	}
	_, err := other.Claim(ctx, plan.Items[2].ID)
	wantCode(t, err, "not_found")
	_, err = s.Claim(ctx, "no such id")
	wantCode(t, err, "not_found")
	_, err = s.Complete(ctx, plan.Items[2].ID, gate.Result{Output: json.RawMessage(`1`)})
	wantCode(t, err, "not_running")
	if _, err := s.Claim(ctx, plan.Items[2].ID); err != nil {
		t.Fatal(err)
	}
	for name, result := range map[string]gate.Result{
		"R4 neither":  {},
		"R4 both":     {Output: json.RawMessage(`1`), Error: "x"},
		"no JSON":     {Output: json.RawMessage(`{`)},
		"empty":       {Output: json.RawMessage(``)},
		"large error": {Error: strings.Repeat("x", gate.MaxResultBytes+1)},
	} {
		_, err := s.Complete(ctx, plan.Items[2].ID, result)
		if gate.Code(err) != "invalid_result" {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = other.Complete(ctx, plan.Items[2].ID, gate.Result{Output: json.RawMessage(`1`)})
	wantCode(t, err, "not_found")
	if _, err := s.Complete(ctx, plan.Items[2].ID, gate.Result{Error: "disk full"}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Complete(ctx, plan.Items[2].ID, gate.Result{Output: json.RawMessage(`1`)})
	wantCode(t, err, "not_running")
	_, err = s.Outcomes(ctx, "t")
	wantCode(t, err, "unsettled")
	_, err = s.Outcomes(ctx, "no such turn")
	wantCode(t, err, "not_found")
}

func TestHoldBatch(t *testing.T) {
	w := newWorld(t, policyText+"approvals {\n  hold = \"batch\"\n}")
	s := w.open("s")
	plan := w.plan(s, "t", call("1 fs.write_file", `{"path": "a"}`), call("2 db.update", `{}`))
	_, err := s.Claim(ctx, plan.Items[1].ID)
	wantCode(t, err, "held") // GAT-13
	free := w.plan(s, "t2", call("1 db.update", `{}`))
	w.run(s, free.Items[0].ID) // another plan is not held
	w.answer(plan.Items[0], gate.Verdict{Decision: plangate.Deny})
	w.run(s, plan.Items[1].ID)
}

func TestOutcomesInPlanOrder(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	plan := w.plan(s, "t", call("1 db.update", `{}`), call("2 fs.delete_file", `{}`), call("3 db.update", `{}`), call("4 fs.read_file", `{}`))
	w.run(s, plan.Items[3].ID)
	w.run(s, plan.Items[2].ID)
	if _, err := s.Claim(ctx, plan.Items[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Complete(ctx, plan.Items[0].ID, gate.Result{Error: "no such row"}); err != nil {
		t.Fatal(err)
	}
	out, err := s.Outcomes(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range out.Results {
		got = append(got, fmt.Sprint(r.CallID, " ", r.Kind, " ", r.Category))
	}
	want := []string{"1 failed execution_failed", "2 denied permission_denied", "3 applied ", "4 applied "}
	if !slices.Equal(got, want) {
		t.Errorf("R1 %q, want %q", got, want)
	}
	denied := w.plan(s, "t2", call("1 fs.delete_file", `{}`))
	if out, err := s.Outcomes(ctx, "t2"); err != nil || len(out.Results) != 1 || out.Results[0].Text != denied.Items[0].Text {
		t.Errorf("R3 %+v, %v", out, err)
	}
}

func TestWait(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	if woken, err := s.Wait(ctx); err != nil || len(woken.Items) != 0 {
		t.Errorf("nothing waits: %+v, %v", woken, err)
	}
	plan := w.plan(s, "t", call("1 fs.write_file", `{"path": "a"}`), call("2 fs.write_file", `{"path": "b"}`))
	woken := make(chan gate.Woken)
	go func() {
		for range 2 {
			got, err := s.Wait(ctx)
			if err != nil {
				t.Error(err)
			}
			woken <- got
		}
	}()
	w.answer(plan.Items[1], gate.Verdict{Decision: plangate.Allow})
	if got := <-woken; len(got.Items) != 1 || got.Items[0].ID != plan.Items[1].ID || got.Items[0].State != gate.Ready {
		t.Errorf("woken by %+v", got)
	}
	w.pass(time.Hour) // nobody changes anything: the waiter looks by itself
	if got := <-woken; len(got.Items) != 1 || got.Items[0].Ending != gate.EndExpired {
		t.Errorf("woken by %+v", got)
	}
	w.plan(s, "t2", call("1 fs.write_file", `{"path": "a"}`))
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if _, err := s.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestBreaker(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	var last *gate.Plan
	for i := range 3 { // D14, C8, deny-01: the texts differ
		last = w.plan(s, fmt.Sprint("t", i), call("c fs.delete_file", fmt.Sprintf(`{"path": "/a/%d"}`, i)))
		if tripped := len(last.Tripped) > 0; tripped != (i == 2) {
			t.Errorf("K1 denial %d tripped: %v", i, last.Tripped)
		}
	}
	scopes := map[breaker.Scope]bool{}
	for _, trip := range last.Tripped {
		scopes[trip.Scope] = true
		if len(trip.Denials) != 3 {
			t.Errorf("%s lists %d denials", trip.Scope, len(trip.Denials))
		}
	}
	if !scopes[breaker.ScopeProvider] || !scopes[breaker.ScopeRule] || !scopes[breaker.ScopeSession] {
		t.Errorf("tripped %v", last.Tripped)
	}
	if item := w.decide(s, call("c db.update", `{}`)); item.State != gate.Ready {
		t.Errorf("deny-06 an allowed call is %s", item.State)
	}
	item := w.decide(s, call("c fs.delete_file", `{}`))
	if item.State != gate.Denied || !strings.Contains(item.Text, "not a failure") {
		t.Errorf("deny-03 %s: %s", item.State, item.Text)
	}
}

func TestUnansweredIsNoDenial(t *testing.T) {
	w := newWorld(t, "")
	s := w.open("s")
	for i := range 5 { // deny-10
		w.ask(s, fmt.Sprint("t", i))
		w.pass(2 * time.Hour)
		if woken, err := s.Wait(ctx); err != nil || len(woken.Items) != 1 || len(woken.Tripped) != 0 {
			t.Fatalf("%+v, %v", woken, err)
		}
	}
	for i := range 3 {
		item := w.ask(s, fmt.Sprint("u", i))
		w.answer(item, gate.Verdict{Decision: plangate.Deny})
		woken, err := s.Wait(ctx)
		if err != nil || (len(woken.Tripped) > 0) != (i == 2) {
			t.Errorf("human denial %d: %v, %v", i, woken.Tripped, err)
		}
	}
}

// hookPolicy asks the hook about everything but reads by name.
const hookPolicy = `
policy "hooked" {
  match  = {}
  action = "hook"
}
policy "headless" {
  match    = {}
  action   = "hook"
  profiles = ["bot"]
}
agent_profile "bot" {
  headless = true
}
guard "ask_etc" {
  match  = { operation = "write_file" }
  path   = ["/etc/**"]
  action = "ask"
}
`

// answering is a decision hook with one answer.
func answering(answer decisionhook.Answer) decisionhook.Hook {
	return decisionhook.Hook{Asker: decisionhook.Func(func(context.Context, decisionhook.Question) (*decisionhook.Answer, error) {
		return &answer, nil
	})}
}

func TestDecisionHook(t *testing.T) {
	write, read := call("c fs.write_file", `{"path": "a"}`), call("c fs.read_file", `{}`)
	bot := write
	bot.Profile = "bot"
	guarded := call("c fs.write_file", `{"path": "/etc/passwd"}`)
	failing := decisionhook.Hook{OnError: plangate.Ask, Asker: decisionhook.Func(func(context.Context, decisionhook.Question) (*decisionhook.Answer, error) {
		return nil, errBoom
	})}
	denying := failing
	denying.OnError = plangate.Deny
	nothing := decisionhook.Hook{Asker: decisionhook.Func(func(context.Context, decisionhook.Question) (*decisionhook.Answer, error) {
		return nil, nil
	})}
	tests := []struct {
		name   string
		hook   gate.DecisionHook
		call   plangate.Call
		state  gate.State
		by     string
		ending gate.Ending
	}{
		{"no hook", nil, write, gate.Waiting, "policy:hooked", ""},
		{"no hook, a read", nil, read, gate.Denied, "policy:hooked", gate.EndPolicy},
		{"allow", answering(decisionhook.Answer{Decision: plangate.Allow}), write, gate.Ready, "policy:hooked+hook:decision_hook", ""},
		{"returning nothing is allow", nothing, write, gate.Ready, "policy:hooked+hook:decision_hook", ""},
		{"allow a read", answering(decisionhook.Answer{Decision: plangate.Allow}), read, gate.Ready, "policy:hooked+hook:decision_hook", ""},
		{"deny", answering(decisionhook.Answer{Decision: plangate.Deny, Message: "no"}), write, gate.Denied, "policy:hooked+hook:decision_hook", gate.EndHook},
		{"ask", answering(decisionhook.Answer{Decision: plangate.Ask, Prompt: "Approve?", Channel: "slack:#a"}), write, gate.Waiting, "policy:hooked+hook:decision_hook", ""},
		{"ask about a read", answering(decisionhook.Answer{Decision: plangate.Ask}), read, gate.Denied, "policy:hooked+hook:decision_hook", gate.EndPolicy},
		{"ask, headless", answering(decisionhook.Answer{Decision: plangate.Ask}), bot, gate.Denied, "policy:headless+hook:decision_hook", gate.EndPolicy},
		{"allow, headless", answering(decisionhook.Answer{Decision: plangate.Allow}), bot, gate.Ready, "policy:headless+hook:decision_hook", ""},
		{"a guard asks, the hook is not", answering(decisionhook.Answer{Decision: plangate.Allow}), guarded, gate.Waiting, "guard:ask_etc", ""},
		{"fails, on_error ask", failing, write, gate.Waiting, "policy:hooked+hook:decision_hook", ""},
		{"fails, on_error deny", denying, write, gate.Denied, "policy:hooked+hook:decision_hook", gate.EndHook},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, hookPolicy)
			w.policy.Ask = tt.hook
			s := w.open("s")
			item := w.plan(s, "t", tt.call).Items[0]
			wantState(t, item, tt.state, tt.by)
			if item.Ending != tt.ending {
				t.Errorf("ending %q, want %q", item.Ending, tt.ending)
			}
			if tt.name == "ask" && (item.Prompt != "Approve?" || item.Channel != "slack:#a") {
				t.Errorf("prompt %q, channel %q", item.Prompt, item.Channel)
			}
			if item.State == gate.Ready {
				w.run(s, item.ID)
			}
		})
	}
}

// TestHookNoLongerAllows: what a hook allowed is denied when policy says so by then.
func TestHookNoLongerAllows(t *testing.T) {
	w := newWorld(t, hookPolicy)
	w.policy.Ask = answering(decisionhook.Answer{Decision: plangate.Allow})
	s := w.open("s")
	plan := w.plan(s, "t", call("1 fs.read_file", `{}`), call("2 fs.read_file", `{}`))
	w.run(s, plan.Items[0].ID)
	w.setPolicy("policy \"ask\" {\n  match  = {}\n  action = \"ask\"\n}")
	_, err := s.Claim(ctx, plan.Items[1].ID)
	wantCode(t, err, "policy_denies")
}

// TestHeadlessByNow: an answer to a question that may not be asked any more is late.
func TestHeadlessByNow(t *testing.T) {
	w := newWorld(t, hookPolicy)
	s := w.open("s")
	item := w.plan(s, "t", call("1 fs.write_file", `{"path": "a"}`)).Items[0]
	w.setPolicy("policy \"hooked\" {\n  match  = {}\n  action = \"hook\"\n}\nguard \"no\" {\n  action = \"deny\"\n}")
	_, err := w.gate.Resolve(ctx, item.ID, verdict(item, gate.Verdict{Decision: plangate.Allow}))
	wantCode(t, err, "policy_denies")
}

func TestVisibleOperations(t *testing.T) {
	w := newWorld(t, policyText+`
policy "ls" {
  match   = { operation = "bash" }
  command = ["ls"]
  action  = "allow"
}
policy "no_bash" {
  match  = { operation = "bash" }
  action = "deny"
}
agent_profile "locked" {
  deny_tools = ["update"]
}
agent_profile "listed" {
  allowed_tools = ["read_file"]
}`)
	tests := []struct {
		name string
		mode gate.Mode
		call plangate.Call
		want []string
	}{
		{"apply", gate.ModeApply, plangate.Call{}, []string{"db.update", "fs.read_file", "fs.write_file", "sh.bash", "ui.ask_user"}},
		{"plan mode", gate.ModePlan, plangate.Call{}, []string{"fs.read_file", "ui.ask_user"}},
		{"deny_tools", gate.ModeApply, plangate.Call{Profile: "locked"}, []string{"fs.read_file", "fs.write_file", "sh.bash", "ui.ask_user"}},
		{"allowed_tools", gate.ModeApply, plangate.Call{Profile: "listed"}, []string{"fs.read_file"}},
	}
	for _, tt := range tests {
		var got []string
		for _, operation := range w.gate.VisibleOperations(tt.mode, tt.call) {
			got = append(got, operation.Provider+"."+operation.Name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("GAT-38 %s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// brokenLog fails.
type brokenLog struct{}

func (brokenLog) Append(context.Context, ...audit.Entry) ([]audit.Record, error) {
	return nil, errBoom
}

// fullLog fails to write entries as long as it is full, although it looks writable.
type fullLog struct {
	full   bool
	events []string
}

func (l *fullLog) Append(_ context.Context, entries ...audit.Entry) ([]audit.Record, error) {
	if l.full && len(entries) > 0 {
		return nil, errBoom
	}
	for _, e := range entries {
		l.events = append(l.events, string(e.Event)+" "+e.CallID)
	}
	return nil, nil
}

func TestLogIsFilledUp(t *testing.T) {
	log := &fullLog{full: true}
	w := newWorld(t, policyText, func(c *gate.Config) { c.Log = log })
	s := w.open("s")
	calls := []plangate.Call{call("1 db.update", `{}`)}
	_, err := s.Plan(ctx, "t", calls)
	wantCode(t, err, "audit_failed")
	_, err = s.Plan(ctx, "t2", calls)
	wantCode(t, err, "audit_failed")
	log.full = false
	plan := w.plan(s, "t", calls...) // stored before, and told now
	w.run(s, plan.Items[0].ID)
	want := []string{"decision 1", "claimed 1", "completed 1"}
	if !plan.Repeated || !slices.Equal(log.events, want) {
		t.Errorf("GAT-42 %q, want %q", log.events, want)
	}
}

func TestAuditMode(t *testing.T) {
	var reported []error
	broken := func(c *gate.Config) {
		c.Log = brokenLog{}
		c.Report = func(err error) { reported = append(reported, err) }
	}
	const bestEffort = policyText + "approvals {\n  audit = \"best_effort\"\n}"
	w := newWorld(t, bestEffort, broken)
	s := w.open("s")
	w.setPolicy(policyText)
	_, err := s.Plan(ctx, "t", []plangate.Call{call("1 db.update", `{}`)})
	wantCode(t, err, "audit_failed")
	if len(w.records()) > 0 {
		t.Error("GAT-42 the step happened without its record")
	}
	w.setPolicy(bestEffort)
	w.plan(s, "t", call("1 db.update", `{}`))
	if len(reported) == 0 || !errors.Is(reported[0], gate.ErrAudit) {
		t.Errorf("GAT-42 reported %v", reported)
	}
}

func TestRecordsAreMasked(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	item := w.plan(s, "t", call("1 fs.write_file", `{"path": "a", "secret": "hunter2", "content": "TOKEN=s3cr3t"}`)).Items[0]
	w.answer(item, gate.Verdict{Decision: plangate.Allow, Message: "password=hunter2"})
	for _, record := range w.records() {
		if line := string(record.Line()); strings.Contains(line, "hunter2") || strings.Contains(line, "s3cr3t") {
			t.Errorf("audit-03 %s", line)
		}
		if record.InputDigest != item.Digest {
			t.Errorf("audit-04 digest %s", record.InputDigest)
		}
	}
	if !strings.Contains(string(w.item(item.ID).Call.Input), "s3cr3t") {
		t.Error("audit-04 the approver does not see the exact input")
	}
}

func TestAuditRecordHasEverything(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	w.plan(s, "t", call("1 db.update", `{}`), call("2 fs.read_file", `{}`), call("3 fs.delete_file", `{}`), call("4 db.query", `{}`))
	want := []struct {
		decision, matched plangate.Action
		by                string
		downgraded        bool
		line              int
	}{
		{plangate.Allow, plangate.Allow, "policy:allow_update", false, 2},
		{plangate.Allow, plangate.Allow, "default:data_source", false, 0},
		{plangate.Deny, plangate.Deny, "policy:no_deletes", false, 6},
		{plangate.Deny, plangate.Ask, "policy:ask_reads", true, 11}, // audit-11
	}
	for i, r := range w.records() { // audit-01, audit-08: one record each
		tt := want[i]
		if r.Decision != tt.decision || r.MatchedAction != tt.matched || r.DecidedBy != tt.by || r.Downgraded != tt.downgraded || r.Rule.Line != tt.line || r.Policy == "" {
			t.Errorf("record %d: %+v", i, r.Entry)
		}
	}
}
