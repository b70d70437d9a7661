package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/plangate/plangate/audit"
)

// blocks is a policy of n blocks, of which one allows `git status` and the last asks about
// what they all leave.
func blocks(n int) string {
	var policy strings.Builder
	policy.WriteString(hookPolicy)
	for i := range n - 2 {
		fmt.Fprintf(&policy, "policy \"b%d\" {\n  match   = { operation = \"bash\" }\n  command = [\"tool%d --flag value%d\", \"other%d **\"]\n  action  = %q\n}\n",
			i, i, i, i, []string{"allow", "ask", "deny"}[i%3])
	}
	policy.WriteString("policy \"rest\" {\n  match  = { operation = \"*\" }\n  action = \"ask\"\n}\n")
	return policy.String()
}

// TestHookProcessesAtOnce (hook-18): twenty processes at once, over a policy of a thousand
// blocks and one store of approvals, each write exactly one answer, the right one, and none
// because its time is up. The log keeps all of them.
func TestHookProcessesAtOnce(t *testing.T) {
	const rounds, processes = 3, 20
	home, _ := hookHome(t)
	if err := os.WriteFile(filepath.Join(home, ".config", "plangate", "agent.hcl"), []byte(blocks(1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	wants := []struct{ command, want string }{
		{"git status", "allow"}, {"tool0 --flag value0", "allow"}, {"tool2 --flag value2", "deny"}, {"tool4 --flag value4", "ask"},
		{"unheard of %d", "ask"},
	}
	for round := range rounds {
		var all sync.WaitGroup
		for i := range processes {
			all.Go(func() {
				want := wants[i%len(wants)]
				command := strings.ReplaceAll(want.command, "%d", fmt.Sprint(round, "-", i))
				if got := hookProcess(t, home, codexCall(fmt.Sprint("t", round, "-", i), command)); got != want.want {
					t.Errorf("round %d, %q: %s, want %s", round, command, got, want.want)
				}
			})
		}
		all.Wait()
	}
	file, err := os.Open(filepath.Join(home, ".local", "state", "plangate", "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	report, err := audit.Verify(file)
	if err != nil || !report.Whole() || report.Records < rounds*processes {
		t.Errorf("log: %+v, %v", report, err)
	}
}

// hookProcess runs the hook of Codex as a process of its own, and returns what it says: allow,
// deny, or ask if there is an approval to wait for. Anything but one JSON object is an error.
func hookProcess(t *testing.T, home, payload string) string {
	cmd := exec.Command("policyctl", "hook", "codex")
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(payload), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %s", err, stderr.String())
		return ""
	}
	var answer struct {
		Specific struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	said := stdout.String()
	decoder := json.NewDecoder(&stdout)
	err := decoder.Decode(&answer)
	if err == nil {
		var more any
		if err = decoder.Decode(&more); errors.Is(err, io.EOF) {
			err = nil
		} else if err == nil {
			err = errors.New("a second value")
		}
	}
	reason := answer.Specific.Reason
	switch {
	case err != nil || stderr.Len() > 0 || strings.Contains(reason, "took longer"):
		t.Errorf("%v: %q, %s", err, said, stderr.String())
		return ""
	case answer.Specific.Decision == "": // Codex knows no allow
		return "allow"
	case strings.Contains(reason, "Pending approval"):
		return "ask"
	default:
		return answer.Specific.Decision
	}
}
