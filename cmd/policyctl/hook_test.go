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
