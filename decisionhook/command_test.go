//go:build unix

package decisionhook

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

func TestCommandAnswers(t *testing.T) {
	noLeaks(t)
	tests := []struct {
		mode string
		want Answer
	}{
		{"allow", Answer{Decision: plangate.Allow, Message: "fine"}},
		{"stderr", Answer{Decision: plangate.Allow, Message: "fine"}},
		{"ask", Answer{Decision: plangate.Ask, Prompt: "Approve?", Channel: "slack:#a"}},
		{"closed-stdin", Answer{Decision: plangate.Allow, Message: "fine"}},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			asker, _ := helper(t, tt.mode)
			q := question("c1")
			q.Call.Input = json.RawMessage(`{"text":"` + strings.Repeat("x", 1<<20) + `"}`) // more than a pipe holds
			got := Hook{Asker: asker}.Decide(t.Context(), q)
			if got.Err != nil || got.Failure != FailureNone {
				t.Fatal(got.Failure, got.Err)
			}
			if diff := cmp.Diff(tt.want, got.Answer); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCommandErrors(t *testing.T) {
	noLeaks(t)
	tests := []struct {
		mode, says string // of the error
	}{
		{"deny-exit-3", "no database"}, // an exit code is an error, never a denial
		{"allow-exit-1", "exit status 1"},
		{"panic", "broken"},
		{"kill-self", "killed"},
		{"empty", "empty"},
		{"garbage", "UTF-8"},
		{"partial", "middle of a value"},
		{"twice", "after the JSON value"},
		{"huge", errTooLong.Error()},
		{"endless", errTooLong.Error()},
		{"noisy", "(cut)"},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			asker, _ := helper(t, tt.mode)
			start := time.Now()
			got := Hook{Asker: asker, Timeout: 30 * time.Second, OnError: plangate.Ask}.Decide(t.Context(), question("c1"))
			if got.Failure != FailureError || got.Answer.Decision != plangate.Ask {
				t.Fatalf("got %v %v: %v", got.Failure, got.Answer, got.Err)
			}
			if !strings.Contains(got.Err.Error(), tt.says) {
				t.Errorf("error %.300q does not say %q", got.Err, tt.says)
			}
			if n := len(got.Err.Error()); n > 4*maxStderr {
				t.Errorf("%d bytes of error", n)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestCommandTimeout(t *testing.T) {
	noLeaks(t)
	for _, mode := range []string{"sleep", "sleep-deaf", "fork-and-sleep"} {
		t.Run(mode, func(t *testing.T) {
			asker, dir := helper(t, mode)
			start := time.Now()
			got := Hook{Asker: asker, Timeout: 2 * time.Second, OnError: plangate.Ask}.Decide(t.Context(), question("c1"))
			if took := time.Since(start); took > 6*time.Second {
				t.Errorf("took %v", took)
			}
			if got.Failure != FailureTimeout || got.Answer.Decision != plangate.Deny || !errors.Is(got.Err, ErrTimeout) {
				t.Fatalf("got %v %v: %v", got.Failure, got.Answer, got.Err)
			}
			pids := noted(t, dir)
			if len(pids) == 0 {
				t.Fatal("the command did not come to run")
			}
			for _, pid := range pids {
				eventually(t, "ended", func() bool { return !alive(pid) })
			}
		})
	}
}

func TestCommandGrandchildren(t *testing.T) {
	noLeaks(t)
	tests := []struct {
		mode    string
		failure Failure
		stays   bool // what left the group on purpose
	}{
		{"fork-and-answer", FailureNone, false},
		{"fork-and-exit-1", FailureError, false},
		{"fork-away", FailureNone, true},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			asker, dir := helper(t, tt.mode)
			got := Hook{Asker: asker, Timeout: 20 * time.Second}.Decide(t.Context(), question("c1"))
			if got.Failure != tt.failure {
				t.Fatalf("got %v: %v", got.Failure, got.Err)
			}
			pids := noted(t, dir)
			if len(pids) != 1 {
				t.Fatalf("%d children", len(pids))
			}
			if !tt.stays {
				eventually(t, "ended", func() bool { return !alive(pids[0]) })
				return
			}
			if !alive(pids[0]) {
				t.Error("what left the group was killed; is this test still right?")
			}
			if process, err := os.FindProcess(pids[0]); err == nil {
				process.Kill()
			}
		})
	}
}

// TestCommandAnswersAtTheLastMoment holds that SIGTERM comes before the deadline.
func TestCommandAnswersAtTheLastMoment(t *testing.T) {
	noLeaks(t)
	asker, _ := helper(t, "answer-at-term")
	var got Result
	for range 3 { // half a second may be too short on a busy machine
		got = Hook{Asker: asker, Timeout: 5 * time.Second}.Decide(t.Context(), question("c1"))
		if got.Failure == FailureNone {
			break
		}
	}
	if got.Failure != FailureNone || got.Answer.Decision != plangate.Ask {
		t.Errorf("got %v %v: %v", got.Failure, got.Answer, got.Err)
	}
}

func TestCommandCancelled(t *testing.T) {
	noLeaks(t)
	asker, dir := helper(t, "sleep")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for range 500 {
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	got := Hook{Asker: asker, OnError: plangate.Deny, OnTimeout: plangate.Ask}.Decide(ctx, question("c1"))
	if got.Failure != FailureError || !errors.Is(got.Err, context.Canceled) {
		t.Errorf("got %v: %v", got.Failure, got.Err)
	}
	for _, pid := range noted(t, dir) {
		eventually(t, "ended", func() bool { return !alive(pid) })
	}
}

func TestCommandConcurrently(t *testing.T) {
	noLeaks(t)
	asker, _ := helper(t, "echo")
	hook := Hook{Asker: asker, Timeout: time.Minute}
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			id := "call-" + strconv.Itoa(i)
			got := hook.Decide(t.Context(), question(id))
			var echoed struct {
				CallID string `json:"call_id"`
			}
			if err := json.Unmarshal([]byte(got.Answer.Message), &echoed); err != nil || echoed.CallID != id {
				t.Errorf("%s: got %q (%v)", id, echoed.CallID, got.Err)
			}
		})
	}
	group.Wait()
}

// TestCommandSurroundings holds that a command gets no secrets and no shell.
func TestCommandSurroundings(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
	t.Setenv("PATH", "relative:.::/usr/bin:/bin")
	t.Setenv("HOME", "/home/x")
	t.Setenv("LANG", "C")
	asker, _ := helper(t, "surroundings", "$(touch pwned)", "*")
	q := question("c1")
	got := Hook{Asker: asker}.Decide(t.Context(), q)
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	lines := strings.Split(got.Answer.Message, "\n")
	names := map[string]string{"": lines[0]}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, "=")
		names[name] = value
	}
	if names["PLANGATE_DEADLINE"] == "" {
		t.Error("no deadline")
	}
	for _, name := range []string{"PLANGATE_DEADLINE", helperMode, "DECISIONHOOK_TEST_DIR", "GOCOVERDIR", "PWD", "GORACE"} {
		delete(names, name)
	}
	want := map[string]string{
		"": "/", "PATH": "/usr/bin:/bin", "HOME": "/home/x", "LANG": "C",
		"PLANGATE_VERSION": "1", "PLANGATE_KEY": q.Key(),
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestCommandArguments(t *testing.T) {
	absolute := CommandOptions{Dir: "/tmp"}
	tests := []struct {
		name string
		argv []string
		opts CommandOptions
		ok   bool
	}{
		{"bare name", []string{"approve"}, CommandOptions{}, true},
		{"absolute", []string{"/usr/bin/approve", "./x"}, absolute, true},
		{"empty", nil, CommandOptions{}, false},
		{"empty program", []string{""}, CommandOptions{}, false},
		{"relative with a slash", []string{"./approve"}, CommandOptions{}, false},
		{"relative below", []string{"bin/approve"}, CommandOptions{}, false},
		{"dots", []string{".."}, CommandOptions{}, false},
		{"NUL", []string{"a", "b\x00"}, CommandOptions{}, false},
		{"NUL in the environment", []string{"a"}, CommandOptions{Env: []string{"A=\x00"}}, false},
		{"relative directory", []string{"/a"}, CommandOptions{Dir: "x"}, false},
		{"directory with a bare name", []string{"a"}, absolute, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if asker, err := Command(tt.argv, tt.opts); (err == nil) != tt.ok || (asker != nil) != tt.ok {
				t.Errorf("got %v, %v", asker, err)
			}
		})
	}
}

// TestCommandLookup holds that nothing is found in the current directory.
func TestCommandLookup(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, sub := range []string{"hostile", "good"} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\necho '{\"decision\":\"allow\",\"message\":\"" + sub + "\"}'\n"
		if err := os.WriteFile(filepath.Join(sub, "approve"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	asker, err := Command([]string{"approve"}, CommandOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "hostile:/usr/bin:/bin")
	if got := (Hook{Asker: asker}).Decide(t.Context(), question("c1")); !errors.Is(got.Err, os.ErrNotExist) {
		t.Errorf("got %v %v", got.Answer, got.Err)
	}
	t.Setenv("PATH", "hostile:"+filepath.Join(dir, "good")+":/usr/bin:/bin")
	if got := (Hook{Asker: asker}).Decide(t.Context(), question("c1")); got.Answer.Message != "good" {
		t.Errorf("got %v %v", got.Answer, got.Err)
	}
}

func TestCommandThatIsNoProgram(t *testing.T) {
	for _, program := range []string{"/nonexistent/approve", "/etc/passwd", "/tmp"} {
		asker, err := Command([]string{program}, CommandOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := (Hook{Asker: asker}).Decide(t.Context(), question("c1")); got.Failure != FailureError {
			t.Errorf("%s: got %v %v", program, got.Failure, got.Err)
		}
	}
}

// TestCommandWithShell shows that a script of a few lines is enough.
func TestCommandWithShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	script := `grep -q '"operation":"create_return"' && echo '{"decision":"ask","ask":{"prompt":"Return?"}}'`
	asker, err := Command([]string{sh, "-c", script}, CommandOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := Hook{Asker: asker}.Decide(t.Context(), question("c1"))
	if want := (Answer{Decision: plangate.Ask, Prompt: "Return?"}); got.Answer != want {
		t.Errorf("got %v: %v", got.Answer, got.Err)
	}
}
