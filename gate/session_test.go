package gate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/gate"
)

// forSession answers the first item that asks for the session.
func (w *world) forSession(s *gate.Session, action plangate.Action, c plangate.Call) {
	w.t.Helper()
	c.ID = "given"
	item := w.plan(s, "given-"+newTurn(), c).Items[0]
	if item.State != gate.Waiting {
		w.t.Fatalf("%s by %s: %s", item.State, item.DecidedBy, item.Text)
	}
	w.answer(item, gate.Verdict{Decision: action, Scope: gate.ScopeSession, Actor: "ada"})
}

var turns = func() func() string {
	n := 0
	return func() string { n++; return fmt.Sprint(n) }
}()

func newTurn() string { return turns() }

func (w *world) decide(s *gate.Session, c plangate.Call) gate.Item {
	w.t.Helper()
	c.ID = "tried"
	return w.plan(s, "tried-"+newTurn(), c).Items[0]
}

func TestSessionVerdictOnPair(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	write := call("c fs.write_file", `{"path": "a"}`)
	w.forSession(s, plangate.Allow, write)
	tests := []struct {
		name  string
		call  plangate.Call
		state gate.State
		by    string
	}{
		{"D9 the pair", call("c fs.write_file", `{"path": "other"}`), gate.Ready, "default:resource+session:ada"},
		{"another provider", call("c x.write_file", `{"path": "a"}`), gate.Waiting, "default:resource"},
		{"another operation", call("c fs.append", `{"path": "a"}`), gate.Waiting, "default:resource"},
		{"GAT-25 a guard asks", call("c fs.write_file", `{"path": "/etc/passwd"}`), gate.Waiting, "default:resource"},
		{"GAT-25 input against the schema", call("c fs.write_file", `{"path": 7}`), gate.Waiting, "default:resource"},
		{"GAT-25 policy denies", call("c fs.delete_file", `{"path": "a"}`), gate.Denied, "policy:no_deletes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantState(t, w.decide(s, tt.call), tt.state, tt.by) })
	}
	wantState(t, w.decide(w.open("other"), write), gate.Waiting, "default:resource") // D10
	wantState(t, w.decide(w.open("s"), write), gate.Waiting, "default:resource")     // gone after resume
}

func TestSessionDenyStopsAllow(t *testing.T) {
	w := newWorld(t, "")
	s := w.open("s")
	update := call("c db.update", `{"id": 1}`)
	w.forSession(s, plangate.Deny, update)
	item := w.decide(s, call("c db.update", `{"id": 2}`))
	wantState(t, item, gate.Denied, "default:resource+session:ada") // 3.3 a
	w.setPolicy(policyText)                                         // now policy allows updates
	item = w.decide(s, update)
	wantState(t, item, gate.Denied, "policy:allow_update+session:ada")
	if item.Ending != gate.EndHuman {
		t.Errorf("ending %s", item.Ending)
	}
}

func TestSessionVerdictDoesNotMoveSiblings(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	plan := w.plan(s, "t", call("1 fs.write_file", `{"path": "a"}`), call("2 fs.write_file", `{"path": "b"}`), call("3 db.other", `{}`))
	w.answer(plan.Items[1], gate.Verdict{Decision: plangate.Allow, Scope: gate.ScopeSession})
	w.answer(plan.Items[2], gate.Verdict{Decision: plangate.Deny})
	if got := w.item(plan.Items[0].ID).State; got != gate.Waiting {
		t.Errorf("appr-15 the first is %s", got)
	}
	w.answer(plan.Items[0], gate.Verdict{Decision: plangate.Allow}) // later, any order
	w.run(s, plan.Items[0].ID)
	w.run(s, plan.Items[1].ID)
	out, err := s.Outcomes(ctx, "t")
	if err != nil || out.Results[0].Kind != gate.Applied || out.Results[1].Kind != gate.Applied || out.Results[2].Kind != gate.ResultDenied {
		t.Errorf("appr-16 %+v, %v", out, err)
	}
}

func TestSessionVerdictOnGuardIsRefused(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	item := w.plan(s, "t", call("1 fs.write_file", `{"path": "/etc/passwd"}`)).Items[0]
	for _, scope := range []gate.Scope{gate.ScopeSession, gate.ScopeAlways} {
		_, err := w.gate.Resolve(ctx, item.ID, verdict(item, gate.Verdict{Decision: plangate.Allow, Scope: scope}))
		wantCode(t, err, "would_loosen")
	}
	w.answer(item, gate.Verdict{Decision: plangate.Allow})
}

// TestSessionVerdictOnCommands is GAT-24: what a verdict on a command covers.
func TestSessionVerdictOnCommands(t *testing.T) {
	long := "echo " + strings.Repeat("a", 295)
	tests := []struct {
		name, given, tried string
		covered            bool
	}{
		{"the same", "go test ./x", "go test ./x", true},
		{"another argument", "go test ./x", "go test ./y", false},
		{"a prefix", "git status", "git status --short", false},
		{"wb-08 another subcommand", "git status", "git push", false},
		{"appr-23 the first 256 are the same", long + "b", long + "c", false},
		{"in a list", "go vet ./x", "go vet ./x && go vet ./x", true},
		{"one of a list", "go vet ./x && go test ./x", "go test ./x", true},
		{"one more in the list", "go vet ./x", "go vet ./x && rm -r y", false},
		{"after cd", "rm -r build", "cd /srv && rm -r build", false},
		{"cd was given too, not alone", "cd /tmp && rm -r build", "rm -r build", false},
		{"the same with cd", "cd /tmp && rm -r build", "cd /tmp && rm -r build", true},
		{"a pipe of given commands", "cat a; nc host 1", "cat a | nc host 1", false},
		{"the same pipe", "cat a | nc host 1", "cat a | nc host 1", true},
		{"a redirection added", "echo a", "echo a > b", false},
		{"the same redirection", "echo a > b", "echo a > b", true},
		{"another target", "echo a > b", "echo a > c", false},
		{"an assignment added", "make x", "PATH=/tmp make x", false},
		{"in the background", "make x", "make x & make x", false},
		{"in a substitution", "make x", "make $(make x)", false},
		{"in a subshell", "make x", "(make x)", false},
		{"in a function", "make x", "make() { rm -r y; }; make x", false},
		{"under sudo", "make x", "sudo make x", false},
		{"with a variable", "make $X", "make $X", true}, // as a whole
		{"another variable", "make $X", "make $Y", false},
		{"an alias before", "ls a", "alias ls=rm; ls a", false},
		{"in an if", "true", "if true; then true; fi", false},
		{"two lines", "make x", "make x\nmake x", false},
		{"a tab hides cd", "cd\t/srv; make x", "make x", false},
		{"cd and make were given", "cd\t/srv", "cd\t/srv && make x", false},
		{"quotes hide cd", "\"c\"d /srv", "\"c\"d /srv && make x", false},
		{"another shell's cd", "chdir /srv", "chdir /srv && make x", false},
		{"quoted program", "\"make\" x; ls", "\"make\" x", false},
		{"commented out", "make x # fine", "make x # other", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "")
			s := w.open("s")
			w.forSession(s, plangate.Allow, bash("c", tt.given))
			item := w.decide(s, bash("c", tt.tried))
			if covered := item.State == gate.Ready; covered != tt.covered {
				t.Errorf("%q covers %q: %v by %s, want %v", tt.given, tt.tried, covered, item.DecidedBy, tt.covered)
			}
		})
	}
}

func TestSessionVerdictOnCommandsElsewhere(t *testing.T) {
	w := newWorld(t, "")
	s := w.open("s")
	w.forSession(s, plangate.Allow, bash("c", "make x"))
	there := bash("c", "make x")
	there.Cwd = "/srv"
	if item := w.decide(s, there); item.State != gate.Waiting {
		t.Errorf("another directory: %s", item.State)
	}
	noted := bash("c", "")
	noted.Input = json.RawMessage(`{"command": "make x", "description": "Build.", "timeout": 10}`)
	if item := w.decide(s, noted); item.State != gate.Ready {
		t.Errorf("a description: %s", item.State)
	}
	noted.Input = json.RawMessage(`{"command": "make x", "run_as": "root"}`)
	if item := w.decide(s, noted); item.State != gate.Waiting {
		t.Errorf("another argument: %s", item.State)
	}
}

func TestSessionDenyOnCommands(t *testing.T) {
	w := newWorld(t, "")
	s := w.open("s")
	w.forSession(s, plangate.Deny, bash("c", "rm -r y"))
	for command, want := range map[string]gate.State{
		"rm -r y": gate.Denied, "rm -r y && ls": gate.Denied, "rm -r z": gate.Waiting,
	} {
		if item := w.decide(s, bash("c", command)); item.State != want {
			t.Errorf("%q: %s, want %s", command, item.State, want)
		}
	}
}

func TestSessionScopeOperation(t *testing.T) {
	w := newWorld(t, "approvals {\n  session_scope = \"operation\"\n}")
	s := w.open("s")
	w.forSession(s, plangate.Allow, bash("c", "make x"))
	wantState(t, w.decide(s, bash("c", "rm -r y")), gate.Ready, "default:resource+session:ada")
}

// TestCorrectedSessionVerdict: what is remembered is what was allowed.
func TestCorrectedSessionVerdict(t *testing.T) {
	w := newWorld(t, "")
	s := w.open("s")
	item := w.plan(s, "t", bash("c", "rm -r /")).Items[0]
	w.answer(item, gate.Verdict{Decision: plangate.Allow, Scope: gate.ScopeSession, Actor: "ada", CorrectedInput: json.RawMessage(`{"command": "ls /"}`)})
	wantState(t, w.decide(s, bash("c", "rm -r /")), gate.Waiting, "default:resource")
	wantState(t, w.decide(s, bash("c", "ls /")), gate.Ready, "default:resource+session:ada")
}

func TestSessionVerdictAnsweredAfterResume(t *testing.T) {
	w := newWorld(t, policyText)
	item := w.ask(w.open("s"), "t")
	s := w.open("s") // a new kernel
	w.answer(item, gate.Verdict{Decision: plangate.Allow, Scope: gate.ScopeSession, Actor: "ada"})
	wantState(t, w.decide(s, item.Call), gate.Ready, "default:resource+session:ada")
}

func TestAlways(t *testing.T) {
	writer := &scriptedWriter{place: "agent.hcl:7"}
	w := newWorld(t, policyText, func(c *gate.Config) { c.Write = writer })
	s := w.open("s")
	item := w.ask(s, "t")
	writer.err = fmt.Errorf("cannot write: %w", &coded{"read_only"})
	_, err := w.gate.Resolve(ctx, item.ID, verdict(item, gate.Verdict{Decision: plangate.Allow, Scope: gate.ScopeAlways}))
	wantCode(t, err, "read_only")
	if got := w.item(item.ID).State; got != gate.Waiting {
		t.Errorf("GAT-26 %s although nothing was written", got)
	}
	if next := w.decide(s, item.Call); next.State != gate.Waiting {
		t.Errorf("GAT-26 applied for the session: %s", next.DecidedBy)
	}
	writer.err = nil
	got := w.answer(item, gate.Verdict{Decision: plangate.Deny, Scope: gate.ScopeAlways})
	if got.Answer.Written != "agent.hcl:7" || got.State != gate.Denied {
		t.Errorf("%s, written to %q", got.State, got.Answer.Written)
	}
	last := writer.written[len(writer.written)-1]
	if last.Action != plangate.Deny || last.Call.Risk != plangate.Moderate || last.Item != item.ID || last.Actor != "ada@example.com" {
		t.Errorf("written: %+v", last)
	}
	events := w.events()
	if events[len(events)-1] != "policy_written:denied" {
		t.Errorf("the last event is %s", events[len(events)-1])
	}
}

func TestLosingAlwaysWritesNothing(t *testing.T) {
	writer := &scriptedWriter{place: "agent.hcl:7"}
	w := newWorld(t, policyText, func(c *gate.Config) { c.Write = writer })
	item := w.ask(w.open("s"), "t")
	w.answer(item, gate.Verdict{Decision: plangate.Deny})
	_, err := w.gate.Resolve(ctx, item.ID, verdict(item, gate.Verdict{Decision: plangate.Allow, Scope: gate.ScopeAlways, Actor: "bob"}))
	wantCode(t, err, "already_answered")
	if len(writer.written) != 0 {
		t.Error("a verdict that lost was written")
	}
}

func TestTakenOver(t *testing.T) {
	w := newWorld(t, policyText)
	old := w.open("s")
	plan := w.plan(old, "t", call("1 db.update", `{}`), call("2 db.update", `{}`), call("3 fs.write_file", `{"path": "a"}`), call("4 db.update", `{}`), call("5 fs.delete_file", `{}`))
	w.run(old, plan.Items[0].ID)
	if _, err := old.Claim(ctx, plan.Items[1].ID); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Second)
	s := w.open("s")
	_, err := old.Plan(ctx, "t2", []plangate.Call{call("1 db.update", `{}`)})
	wantCode(t, err, "session_taken_over")
	_, err = old.Claim(ctx, plan.Items[3].ID)
	wantCode(t, err, "session_taken_over")
	_, err = old.Complete(ctx, plan.Items[1].ID, gate.Result{Output: json.RawMessage(`1`)})
	wantCode(t, err, "session_taken_over")
	_, err = old.UserMessage(ctx)
	wantCode(t, err, "session_taken_over")

	left, err := s.Resume(ctx)
	if err != nil || len(left.Waiting) != 1 || len(left.Ready) != 1 || len(left.Running) != 0 || len(left.Interrupted) != 1 {
		t.Fatalf("GAT-37 left %+v, %v", left, err)
	}
	if left.Ready[0].ID != plan.Items[3].ID || left.Interrupted[0].ID != plan.Items[1].ID {
		t.Errorf("appr-11 left %s, interrupted %s", left.Ready[0].Call.ID, left.Interrupted[0].Call.ID)
	}
	for _, i := range []int{0, 1, 4} { // appr-10, appr-12: done, interrupted, denied
		_, err := s.Claim(ctx, plan.Items[i].ID)
		wantCode(t, err, "not_ready")
	}
	w.run(s, plan.Items[3].ID)
	w.answer(plan.Items[2], gate.Verdict{Decision: plangate.Deny})
	out, err := s.Outcomes(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	want := []gate.ResultKind{gate.Applied, gate.ResultInterrupted, gate.ResultDenied, gate.Applied, gate.ResultDenied}
	for i, result := range out.Results {
		if result.Kind != want[i] {
			t.Errorf("R1 result %d is %s, want %s", i, result.Kind, want[i])
		}
	}
	if again, err := s.Resume(ctx); err != nil || len(again.Interrupted) != 0 {
		t.Errorf("GAT-37 interrupted items after their outcomes: %+v, %v", again, err)
	}
}

// TestSessionVerdictOnPrograms: an operation that no catalog knows and that may run
// something is remembered by its whole input.
func TestSessionVerdictOnPrograms(t *testing.T) {
	for _, tt := range []struct {
		name, given, tried string
		covered            bool
	}{
		{"the same list", `{"args": ["ls"]}`, `{"args": ["ls"]}`, true},
		{"another list", `{"args": ["ls"]}`, `{"args": ["rm", "-rf", "x"]}`, false},
		{"another program", `{"program": "ls", "args": ["x"]}`, `{"program": "rm", "args": ["x"]}`, false},
		{"deeper", `{"task": {"exe": "ls"}}`, `{"task": {"exe": "rm"}}`, false},
		{"the pair", `{"to": "bob"}`, `{"to": "eve"}`, true}, // as the seed says
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "")
			s := w.open("s")
			w.forSession(s, plangate.Allow, call("c x.start", tt.given))
			if covered := w.decide(s, call("c x.start", tt.tried)).State == gate.Ready; covered != tt.covered {
				t.Errorf("%s covers %s: %v", tt.given, tt.tried, covered)
			}
		})
	}
}

// TestSessionVerdictUnderOtherTerms: what was allowed under one profile, risk or place
// was not allowed under another.
func TestSessionVerdictUnderOtherTerms(t *testing.T) {
	const policy = "agent_profile \"dev\" {\n}\nagent_profile \"careful\" {\n}"
	given := bash("c", "make x")
	given.Profile = "dev"
	for name, change := range map[string]func(*plangate.Call){
		"profile":   func(c *plangate.Call) { c.Profile = "careful" },
		"risk":      func(c *plangate.Call) { c.Risk = plangate.Critical },
		"workspace": func(c *plangate.Call) { c.Workspace = "/srv" },
		"home":      func(c *plangate.Call) { c.Home = "/root" },
		"timeout":   func(c *plangate.Call) { c.Input = json.RawMessage(`{"command": "make x", "timeout": "; rm -r y"}`) },
		"argument":  func(c *plangate.Call) { c.Input = json.RawMessage(`{"script": "make x"}`) },
	} {
		w := newWorld(t, policy)
		s := w.open("s")
		w.forSession(s, plangate.Allow, given)
		other := given
		change(&other)
		if item := w.decide(s, other); item.State != gate.Waiting {
			t.Errorf("%s: %s by %s", name, item.State, item.DecidedBy)
		}
		if item := w.decide(s, given); item.State != gate.Ready {
			t.Errorf("the same call: %s", item.State)
		}
	}
}

// TestPolicyThatDoesNotLoad: somebody saves a file while an answer comes.
func TestPolicyThatDoesNotLoad(t *testing.T) {
	w := newWorld(t, policyText)
	s := w.open("s")
	waiting, ready := w.ask(s, "t1"), w.plan(s, "t2", call("1 db.update", `{}`)).Items[0]
	good := w.currentPolicy()
	w.policy.Table = eval.DenyAll("half saved", plangate.Rule{File: "agent.hcl", Line: 1}, nil)
	_, err := w.gate.Resolve(ctx, waiting.ID, verdict(waiting, gate.Verdict{Decision: plangate.Allow}))
	wantCode(t, err, "policy_invalid")
	_, err = s.Claim(ctx, ready.ID)
	wantCode(t, err, "policy_invalid")
	w.policy = good
	w.answer(waiting, gate.Verdict{Decision: plangate.Allow})
	w.run(s, waiting.ID)
	w.run(s, ready.ID)
}

func TestOldKernelCannotPlanAgain(t *testing.T) {
	w := newWorld(t, policyText)
	old := w.open("s")
	calls := []plangate.Call{call("1 db.update", `{}`)}
	w.plan(old, "t", calls...)
	w.open("s")
	_, err := old.Plan(ctx, "t", calls)
	wantCode(t, err, "session_taken_over") // GAT-33
	_, err = old.Resume(ctx)
	wantCode(t, err, "session_taken_over")
}

func TestRepeatedCorrection(t *testing.T) {
	w := newWorld(t, "")
	item := w.plan(w.open("s"), "t", bash("c", "x")).Items[0]
	v := verdict(item, gate.Verdict{Decision: plangate.Allow, CorrectedInput: json.RawMessage(`{"command": "a && b"}`)})
	w.answer(item, v)
	again, err := w.gate.Resolve(ctx, item.ID, v)
	if err != nil || !again.Repeated {
		t.Errorf("GAT-27 %v, %v", again.Repeated, err)
	}
}

// TestSecretsStaySecretWithoutTheirCatalog: what a plan was made with counts.
func TestSecretsStaySecretWithoutTheirCatalog(t *testing.T) {
	w := newWorld(t, "")
	item := w.plan(w.open("s"), "t", call("1 fs.write_file", `{"path": "a", "secret": "hunter2"}`)).Items[0]
	w.policy.Catalog = nil
	w.answer(item, gate.Verdict{Decision: plangate.Deny})
	for _, record := range w.records() {
		if strings.Contains(string(record.Line()), "hunter2") {
			t.Errorf("AUD-4 %s: %s", record.Event, record.Input)
		}
	}
}

// TestExpiredBeforeAnythingElse: the end of its time comes before a newer message and
// holds no sibling.
func TestExpiredBeforeAnythingElse(t *testing.T) {
	w := newWorld(t, policyText+"approvals {\n  hold = \"batch\"\n}")
	s := w.open("s")
	plan := w.plan(s, "t", call("1 fs.write_file", `{"path": "a"}`), call("2 db.update", `{}`))
	w.pass(time.Hour)
	w.run(s, plan.Items[1].ID)
	late := w.ask(s, "t2")
	w.pass(time.Hour)
	if ended, err := s.UserMessage(ctx); err != nil || len(ended) != 0 {
		t.Errorf("%d superseded, %v", len(ended), err)
	}
	if got := w.item(late.ID).Ending; got != gate.EndExpired {
		t.Errorf("GAT-30 ending %s", got)
	}
}

// TestJoin (GAT-44): who joins takes nothing over, verdicts for the session hold among all
// that joined, and an opening ends both.
func TestJoin(t *testing.T) {
	w := newWorld(t, policyText)
	write := call("c fs.write_file", `{"path": "a"}`)
	join := func() *gate.Session {
		t.Helper()
		s, err := w.gate.Join(ctx, "s")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := join()
	w.forSession(first, plangate.Allow, write)
	second := join()
	if item := w.decide(second, write); item.State != gate.Ready {
		t.Errorf("a verdict for the session does not hold for who joins: %s", item.State)
	}
	running := w.decide(first, write)
	if running.State != gate.Ready {
		t.Fatalf("%s", running.State)
	}
	if _, err := first.Claim(ctx, running.ID); err != nil {
		t.Fatalf("the first was fenced off: %v", err)
	}
	join()
	if item := w.item(running.ID); item.State != gate.Running {
		t.Errorf("joining interrupts: %s", item.State)
	}
	opened := w.open("s")
	if item := w.item(running.ID); item.State != gate.Interrupted {
		t.Errorf("opening does not interrupt: %s", item.State)
	}
	if _, err := second.Plan(ctx, "late", []plangate.Call{write}); !errors.Is(err, gate.ErrTakenOver) {
		t.Errorf("who joined goes on after an opening: %v", err)
	}
	if item := w.decide(opened, write); item.State != gate.Waiting {
		t.Errorf("a verdict for the session outlives an opening: %s", item.State)
	}
	if item := w.decide(join(), write); item.State != gate.Waiting {
		t.Errorf("a verdict for the session comes back: %s", item.State)
	}
}
