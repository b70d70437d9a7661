// Package client_test runs the example client against the real program.
package client_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// python returns Python 3. The client is part of what is promised, so a machine
// without it cannot tell that all is well.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "python"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("this test needs Python 3; install python3")
	return ""
}

func TestDemo(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "policyctl.exe")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/policyctl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	policy, err := filepath.Abs("demo.hcl")
	if err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(dir, "token")
	state := filepath.Join(dir, ".local", "state", "plangate")
	if err := errors.Join(
		os.MkdirAll(state, 0o700),
		os.WriteFile(filepath.Join(state, "approvals.token"), fmt.Appendf(nil, "sha256:%x\n", sha256.Sum256([]byte("of a test"))), 0o600),
		os.WriteFile(token, []byte("of a test\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	demo := exec.CommandContext(ctx, python(t), "-B", "-W", "error", "demo.py", program, "serve", "--stdio",
		"--token-file", token, "--policy", policy, "--store", filepath.Join(dir, "gate.db"), "--log", filepath.Join(dir, "audit.jsonl"))
	demo.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME=", "PYTHONIOENCODING=utf-8")
	var stderr bytes.Buffer
	demo.Stderr = &stderr
	out, err := demo.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, &stderr)
	}
	var got []string
	for line := range strings.Lines(strings.ReplaceAll(string(out), "\r", "")) {
		line, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " was ") // a denial goes on in prose
		got = append(got, line)
	}
	want := []string{
		"planned c1=ready c2=waiting c3=waiting c4=ready", "ran c1", "human: allow c2", "human: deny c3", "ran c2",
		"c3 cannot run: not_ready, it is denied", "left interrupted=1 ready=0 running=0 waiting=0",
		"c1 applied: update done", "c2 applied: write_file done", "c3 denied: fs.write_file", "c4 interrupted: db.update",
	}
	slices.Sort(got) // the human and the kernel are two processes
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the demo printed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
