//go:build unix

package decisionhook

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plangate/plangate"
)

// helperMode makes the test binary a hook; see helpers.
const helperMode = "DECISIONHOOK_TEST_MODE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperMode); mode != "" {
		if mode == "sleep-child" {
			signal.Ignore(syscall.SIGTERM)
			sleep()
		}
		helpers[mode]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const allowText = `{"decision":"allow","message":"fine"}`

var helpers = map[string]func(){
	"allow":  func() { readQuestion(); fmt.Println(allowText) },
	"stderr": func() { fmt.Fprint(os.Stderr, "just saying"); fmt.Print(allowText) },
	"ask": func() {
		fmt.Print(`{"decision":"ask","ask":{"prompt":"Approve?","channel":"slack:#a"}}`)
	},
	"echo": func() {
		q := readQuestion()
		text, _ := json.Marshal(map[string]any{"decision": "deny", "message": string(q)})
		os.Stdout.Write(text)
	},
	"surroundings": func() {
		dir, _ := os.Getwd()
		text, _ := json.Marshal(map[string]any{
			"decision": "deny",
			"message":  dir + "\n" + strings.Join(os.Environ(), "\n"),
		})
		os.Stdout.Write(text)
	},
	"deny-exit-3":  func() { fmt.Print(`{"decision":"deny"}`); fmt.Fprint(os.Stderr, "no database"); os.Exit(3) },
	"allow-exit-1": func() { fmt.Print(allowText); os.Exit(1) },
	"panic":        func() { panic("broken") },
	"kill-self":    func() { fmt.Print(allowText); syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} },
	"empty":        func() {},
	"garbage":      func() { fmt.Print("yes\x00\xff") },
	"partial":      func() { fmt.Print(`{"decision":"al`) },
	"twice":        func() { fmt.Print(allowText + allowText) },
	"huge":         func() { fmt.Print(`{"decision":"allow","message":"` + strings.Repeat("x", 2<<20) + `"}`); sleep() },
	"endless": func() {
		for {
			if _, err := fmt.Print(strings.Repeat(" ", 1<<16)); err != nil {
				return
			}
		}
	},
	"noisy":        func() { fmt.Fprint(os.Stderr, strings.Repeat("\xffé", 1<<20)); os.Exit(1) },
	"closed-stdin": func() { os.Stdin.Close(); fmt.Print(allowText) },
	"sleep":        func() { note(os.Getpid()); sleep() },
	"sleep-deaf": func() {
		signal.Ignore(syscall.SIGTERM)
		note(os.Getpid())
		fmt.Print(allowText) // an answer, but it does not end
		sleep()
	},
	"answer-at-term": func() {
		terms := make(chan os.Signal, 1)
		signal.Notify(terms, syscall.SIGTERM)
		<-terms
		fmt.Print(`{"decision":"ask"}`)
	},
	"fork-and-answer": func() { startChild(nil); fmt.Print(allowText) },
	"fork-and-exit-1": func() { startChild(nil); os.Exit(1) },
	"fork-and-sleep":  func() { note(os.Getpid()); startChild(nil); sleep() },
	"fork-away":       func() { startChild(&syscall.SysProcAttr{Setsid: true}); fmt.Print(allowText) },
}

func readQuestion() []byte {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	return text
}

func sleep() { time.Sleep(time.Minute) }

// note writes a process id where pids finds it.
func note(pid int) {
	name := filepath.Join(os.Getenv("DECISIONHOOK_TEST_DIR"), strconv.Itoa(pid))
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		panic(err)
	}
}

// startChild starts a child that ignores SIGTERM and holds our pipes.
func startChild(attr *syscall.SysProcAttr) {
	self, _ := os.Executable()
	child := exec.Command(self)
	child.Env = append(os.Environ(), helperMode+"=sleep-child")
	child.Stdout, child.Stderr, child.SysProcAttr = os.Stdout, os.Stderr, attr
	if err := child.Start(); err != nil {
		panic(err)
	}
	note(child.Process.Pid)
}

// helper returns a command in this mode, and the directory where it notes processes.
func helper(t testing.TB, mode string, argv ...string) (asker Asker, dir string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	asker, err = Command(append([]string{self}, argv...), CommandOptions{
		// A program with the race detector waits for a second before it ends.
		Env: []string{helperMode + "=" + mode, "DECISIONHOOK_TEST_DIR=" + dir, "GORACE=atexit_sleep_ms=0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return asker, dir
}

// noted returns the processes that were noted in a directory.
func noted(t testing.TB, dir string) []int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// alive reports whether a process runs; one that nobody has waited for does not.
func alive(pid int) bool {
	if runtime.GOOS == "linux" {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && !strings.Contains(string(stat), ") Z ")
	}
	return syscall.Kill(pid, 0) == nil
}

// eventually waits for a condition; what it waits for takes milliseconds.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for range 2000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("not %s after 20 seconds", what)
}

// noLeaks fails the test if there are more goroutines at its end than now.
func noLeaks(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		eventually(t, "back to the goroutines of before", func() bool { return runtime.NumGoroutine() <= before })
	})
}

func question(id string) Question {
	return Question{
		ID: id, Session: "s1", Turn: "t1", Item: "i1",
		Call: plangate.Call{
			ID: id, Provider: "shop", Operation: "create_return", Kind: plangate.Resource,
			Input: json.RawMessage(`{"order":"A-1001","amount":82.40}`),
		},
		Decision: plangate.NewDecision(id, &plangate.Outcome{
			Action: plangate.Ask, MatchedAction: plangate.Hook, DecidedBy: "policy:returns", Reason: "returns",
		}),
	}
}
