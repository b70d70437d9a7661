package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/local"
)

const hookPolicy = `policy "git" {
  match   = { operation = "Bash" }
  command = ["git status"]
  action  = "allow"
}
`

// hookHome is a home with a policy of the user, and the environment that names it.
func hookHome(t *testing.T) (home string, getenv func(string) string) {
	t.Helper()
	home = t.TempDir()
	dir := filepath.Join(home, ".config", "plangate")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agent.hcl"), []byte(hookPolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	return home, func(name string) string {
		if name == "HOME" {
			return home
		}
		return ""
	}
}

func codexCall(id, command string) string {
	return fmt.Sprintf(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":%q},"tool_use_id":%q}`, command, id)
}

// runHook returns what a hook prints.
func runHook(t *testing.T, getenv func(string) string, stdin io.Reader, args ...string) string {
	t.Helper()
	w := newTestWorld("")
	w.stdin, w.getenv = stdin, getenv
	if code := realMain(append([]string{"hook"}, args...), &w.world); code != codeFine {
		t.Errorf("exit code %d: %s", code, w.errs.String())
	}
	return w.out.String()
}

// resolve answers the one approval that waits.
func resolve(t *testing.T, getenv func(string) string, verdict gate.Verdict) {
	t.Helper()
	l, err := local.Open(context.Background(), local.Options{Load: layers.Options{Dir: t.TempDir(), Places: layers.DefaultPlaces(getenv), Now: time.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	items, err := l.Gate.Pending(context.Background(), gate.PendingQuery{})
	if err != nil || len(items) != 1 {
		t.Fatalf("%d approvals wait, %v", len(items), err)
	}
	verdict.Digest, verdict.Actor = items[0].Digest, "ann"
	if _, err := l.Gate.Resolve(context.Background(), items[0].ID, verdict); err != nil {
		t.Fatal(err)
	}
}

// TestHookUsesAnswerOnce (HRN-13): a human's allow lets the same call of the session run
// once, with the human's arguments; the next one is asked about again.
func TestHookUsesAnswerOnce(t *testing.T) {
	_, getenv := hookHome(t)
	ask := func(id, command string) string {
		return runHook(t, getenv, strings.NewReader(codexCall(id, command)), "codex")
	}
	if got := ask("1", "touch x"); !strings.Contains(got, "Pending approval") {
		t.Fatalf("no approval: %s", got)
	}
	resolve(t, getenv, gate.Verdict{Decision: plangate.Allow})
	if got := ask("2", "touch y"); !strings.Contains(got, "Pending approval") {
		t.Errorf("another call uses the answer: %s", got)
	}
	if got := ask("3", "touch x"); got != "{}" {
		t.Errorf("the answer is not used: %s", got)
	}
	if got := ask("4", "touch x"); !strings.Contains(got, "Pending approval") {
		t.Errorf("the answer is used twice: %s", got)
	}
}

// TestHookAnswerInOnePlace (HRN-13): an answer given for a directory is none for another.
func TestHookAnswerInOnePlace(t *testing.T) {
	_, getenv := hookHome(t)
	here, there := t.TempDir(), t.TempDir()
	ask := func(id, cwd string) string {
		payload := strings.Replace(codexCall(id, "rm -r build"), `"session_id":"s"`, fmt.Sprintf(`"session_id":"s","cwd":%q`, cwd), 1)
		return runHook(t, getenv, strings.NewReader(payload), "codex")
	}
	ask("1", here)
	resolve(t, getenv, gate.Verdict{Decision: plangate.Allow})
	if got := ask("2", there); !strings.Contains(got, "Pending approval") {
		t.Errorf("in another directory: %s", got)
	}
	if got := ask("3", here); got != "{}" {
		t.Errorf("in the same one: %s", got)
	}
}

// TestHookSessionVerdict (GAT-44, HRN-13): an allow for the session holds for later hooks of the
// same CLI session and the same command, and for nothing else.
func TestHookSessionVerdict(t *testing.T) {
	_, getenv := hookHome(t)
	ask := func(session, id, command string) string {
		payload := strings.Replace(codexCall(id, command), `"session_id":"s"`, fmt.Sprintf(`"session_id":%q`, session), 1)
		return runHook(t, getenv, strings.NewReader(payload), "codex")
	}
	ask("s", "1", "touch x")
	resolve(t, getenv, gate.Verdict{Decision: plangate.Allow, Scope: gate.ScopeSession})
	for i, want := range []struct{ session, command, answer string }{
		{"s", "touch x", "{}"}, {"s", "touch x", "{}"}, {"s", "touch x", "{}"},
		{"s", "touch y", "Pending approval"}, {"other", "touch x", "Pending approval"}, {"s", "touch x", "{}"},
	} {
		if got := ask(want.session, fmt.Sprint("t", i), want.command); !strings.Contains(got, want.answer) {
			t.Errorf("%d: %s of %s: %s", i, want.command, want.session, got)
		}
	}
}

// TestHookOneAnswer (HRN-13): of two hooks at once with the same call one uses the answer, and
// the other asks again.
func TestHookOneAnswer(t *testing.T) {
	_, getenv := hookHome(t)
	for round := range 5 {
		command := fmt.Sprint("touch x", round)
		runHook(t, getenv, strings.NewReader(codexCall(fmt.Sprint("a", round), command)), "codex")
		resolve(t, getenv, gate.Verdict{Decision: plangate.Allow})
		var all sync.WaitGroup
		answers := make([]string, 4)
		for i := range answers {
			all.Go(func() {
				answers[i] = runHook(t, getenv, strings.NewReader(codexCall(fmt.Sprint("b", round, "-", i), command)), "codex")
			})
		}
		all.Wait()
		allowed, asked := 0, 0
		for _, answer := range answers {
			switch {
			case answer == "{}":
				allowed++
			case strings.Contains(answer, "Pending approval"):
				asked++
			}
		}
		if allowed != 1 || asked != len(answers)-1 {
			t.Fatalf("round %d: %d allowed, %d asked: %q", round, allowed, asked, answers)
		}
		denyAll(t, getenv)
	}
}

// denyAll answers everything that waits with no.
func denyAll(t *testing.T, getenv func(string) string) {
	t.Helper()
	l, err := local.Open(context.Background(), local.Options{Load: layers.Options{Dir: t.TempDir(), Places: layers.DefaultPlaces(getenv), Now: time.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	items, err := l.Gate.Pending(context.Background(), gate.PendingQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		if _, err := l.Gate.Resolve(context.Background(), item.ID, gate.Verdict{Decision: plangate.Deny, Digest: item.Digest, Actor: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHookCorrection: a corrected input is what the CLI is told to run.
func TestHookCorrection(t *testing.T) {
	_, getenv := hookHome(t)
	runHook(t, getenv, strings.NewReader(codexCall("1", "touch x")), "codex")
	resolve(t, getenv, gate.Verdict{Decision: plangate.Allow, CorrectedInput: []byte(`{"command":"touch z"}`)})
	got := runHook(t, getenv, strings.NewReader(codexCall("2", "touch x")), "codex")
	if want := `"permissionDecision":"allow","updatedInput":{"command":"touch z"}`; !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}

// TestHookDenied: a human's deny ends the wait with his message.
func TestHookDenied(t *testing.T) {
	_, getenv := hookHome(t)
	runHook(t, getenv, strings.NewReader(codexCall("1", "touch x")), "codex")
	done := make(chan string)
	go func() {
		done <- runHook(t, getenv, strings.NewReader(codexCall("2", "touch x")), "codex", "--wait", "20s")
	}()
	time.Sleep(100 * time.Millisecond) // it may or may not wait by now; both must do
	resolve(t, getenv, gate.Verdict{Decision: plangate.Deny, Message: "use staging"})
	got := <-done
	if !strings.Contains(got, `"permissionDecision":"deny"`) || !strings.Contains(got, "use staging") && !strings.Contains(got, "Pending approval") {
		t.Errorf("got %s", got)
	}
}

// TestHookDeadline (HRN-9, hook-01): a payload that never ends is denied in time.
func TestHookDeadline(t *testing.T) {
	_, getenv := hookHome(t)
	reader, writer := io.Pipe()
	defer writer.Close()
	begin := time.Now()
	got := runHook(t, getenv, reader, "claude", "--deadline", "50ms")
	if !strings.Contains(got, `"permissionDecision":"deny"`) || time.Since(begin) > 5*time.Second {
		t.Errorf("after %s: %s", time.Since(begin), got)
	}
}

// TestHookDefect (hook-02): a defect denies in the form of the event that was told.
func TestHookDefect(t *testing.T) {
	_, getenv := hookHome(t)
	w := newTestWorld(`{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"x"}}`)
	w.getenv = getenv
	w.now = func() func() time.Time {
		calls := 0
		return func() time.Time {
			if calls++; calls > 1 {
				panic("defect")
			}
			return time.Now()
		}
	}()
	code := realMain([]string{"hook", "claude"}, &w.world)
	if got := w.out.String(); code != codeFine || !strings.Contains(got, `"hookEventName":"PermissionRequest","decision":{"behavior":"deny"`) {
		t.Errorf("exit code %d: %s", code, got)
	}
}

// TestHookParallel (hook-18): twenty hooks at once all answer in time, each answer is
// recorded, and the chain of the log is whole.
func TestHookParallel(t *testing.T) {
	home, getenv := hookHome(t)
	var all sync.WaitGroup
	answers := make([]string, 20)
	for i := range answers {
		all.Go(func() {
			command := []string{"git status", "touch x"}[i%2]
			answers[i] = runHook(t, getenv, strings.NewReader(codexCall(fmt.Sprint(i), command)), "codex")
		})
	}
	all.Wait()
	for i, answer := range answers {
		if i%2 == 0 && answer != "{}" || i%2 == 1 && !strings.Contains(answer, "Pending approval") {
			t.Errorf("hook %d: %s", i, answer)
		}
	}
	file, err := os.Open(filepath.Join(home, ".local", "state", "plangate", "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	report, err := audit.Verify(file)
	if err != nil || !report.Whole() || report.Records < 20 {
		t.Errorf("log: %+v, %v", report, err)
	}
}

// TestHookRecord (k16, facts 1.5): who asked, with which tool, and which block decided.
func TestHookRecord(t *testing.T) {
	home, getenv := hookHome(t)
	runHook(t, getenv, strings.NewReader(codexCall("t1", "git status")), "codex")
	text, err := os.ReadFile(filepath.Join(home, ".local", "state", "plangate", "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var record audit.Record
	if err := json.Unmarshal(text, &record); err != nil {
		t.Fatal(err)
	}
	if record.Harness != "codex" || record.CLITool != "Bash" || record.Operation != "bash" || record.Session != "harness:codex:s" ||
		record.Turn != "t1" || record.DecidedBy != "policy:git" || record.Decision != plangate.Allow || record.Policy == "" {
		t.Errorf("record %+v", record.Entry)
	}
}
