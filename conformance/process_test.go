package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// childVariable makes the test binary play an implementation.
const childVariable = "PLANGATE_CONFORMANCE_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childVariable); role != "" {
		os.Exit(playChild(role))
	}
	os.Exit(m.Run())
}

// playChild behaves as the role says; all but serve misbehave.
func playChild(role string) int {
	lines := bufio.NewReader(os.Stdin)
	switch role {
	case "serve":
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot find my libraries")
		return 3
	case "silent":
		_, _ = io.Copy(io.Discard, lines)
		time.Sleep(time.Hour)
	case "deaf":
		time.Sleep(time.Hour)
	case "garbage":
		_, _ = readLine(lines)
		fmt.Println("Welcome to the policy engine!")
	case "two values":
		_, _ = readLine(lines)
		fmt.Println(`{"id":"area/one"} {"id":"area/one"}`)
	case "flood":
		text := strings.Repeat("x", 1<<20)
		for {
			if _, err := fmt.Print(text); err != nil {
				return 1
			}
		}
	case "grandchild":
		// The grandchild inherits all pipes and outlives its parent.
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), childVariable+"=deaf")
		command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := command.Start(); err != nil {
			return 1
		}
	case "second request":
		return playSecond(lines)
	}
	return 0
}

// playSecond answers the first request of each run and breaks at the next.
func playSecond(lines *bufio.Reader) int {
	line, err := readLine(lines)
	if err != nil {
		return 1
	}
	text, err := json.Marshal(serveLine(line))
	if err != nil {
		return 1
	}
	fmt.Printf("%s\n", text)
	_, _ = readLine(lines)
	fmt.Println("null and void")
	return 0
}

func testProgram(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func childProcess(t *testing.T, role string, timeout time.Duration) *Process {
	t.Helper()
	t.Setenv(childVariable, role)
	p := NewProcess([]string{testProgram(t)}, timeout)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestProcessThatMisbehavesFailsTheVector(t *testing.T) {
	tests := []struct {
		role, reason string
		timeout      time.Duration
	}{
		{"exit", "cannot find my libraries", time.Minute},
		{"silent", "no answer within", 200 * time.Millisecond},
		{"deaf", "no answer within", 200 * time.Millisecond},
		{"grandchild", "no answer within", 500 * time.Millisecond},
		{"garbage", "not one JSON value", time.Minute},
		{"two values", "not one JSON value", time.Minute},
		{"flood", "longer than", time.Minute},
	}
	for _, test := range tests {
		t.Run(test.role, func(t *testing.T) {
			p := childProcess(t, test.role, test.timeout)
			report, err := Run(t.Context(), p, oneVector(t, oneCase))
			if err != nil {
				t.Fatal(err)
			}
			if report.Failed != 1 || !strings.Contains(strings.Join(report.Failures[0].Reasons, "\n"), test.reason) {
				t.Errorf("got %+v, want a failure with %q", report, test.reason)
			}
			if p.running != nil {
				t.Error("the process is still there")
			}
		})
	}
}

func TestProcessIsStartedAgain(t *testing.T) {
	p := childProcess(t, "second request", time.Minute)
	request := oneVector(t, oneCase)[0].Request
	for i, fails := range []bool{false, true, false, true} {
		if _, err := p.Answer(t.Context(), request); (err != nil) != fails {
			t.Errorf("request %d: error %v, want one: %v", i+1, err, fails)
		}
	}
}

func TestProcessThatCannotStart(t *testing.T) {
	for _, argv := range [][]string{nil, {"/nonexistent/program"}} {
		p := NewProcess(argv, time.Minute)
		for range 2 {
			if _, err := p.Answer(t.Context(), Request{}); err == nil {
				t.Errorf("%q: no error", argv)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestProcessStopsWithItsContext(t *testing.T) {
	p := childProcess(t, "silent", time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := p.Answer(ctx, Request{}); err == nil {
		t.Error("no error")
	}
}
