package install

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate/harness"
)

func with(t *testing.T, h Hook, options ...string) Hook {
	t.Helper()
	got, err := h.With(options)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestOptions: options of the hook are installed after the CLI's name, are found again,
// stay, and go.
func TestOptions(t *testing.T) {
	for _, name := range harness.Names() {
		plain := testHook(t, name)
		h := with(t, plain, "--profile", "it's ci", "--wait", "60s")
		change, err := h.Install(nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := h.Install(change.Text); err != nil || again.Changed() {
			t.Errorf("%s: a second time: %v, %v", name, again.What, err)
		}
		adopted := plain.Adopt(change.Text, harness.ScopeUser)
		if NeedsWrapper(name) {
			adopted = plain.AdoptWrapper(h.WrapperText())
		}
		if got := adopted.Options(); !slices.Equal(got, h.Options()) {
			t.Errorf("%s: options %q", name, got)
		}
		if NeedsWrapper(name) {
			continue
		}
		if status, err := plain.Status(change.Text); err != nil || status.Installed() {
			t.Errorf("%s: counts as installed without options: %v, %v", name, status, err)
		}
		without, err := plain.Install(change.Text)
		if err != nil || !without.Changed() || bytes.Contains(without.Text, []byte("--profile")) {
			t.Errorf("%s: options stay: %v\n%s", name, err, without.Text)
		}
	}
}

// TestWaitBelowTimeout (HRN-9): the CLI waits longer than the hook may take.
func TestWaitBelowTimeout(t *testing.T) {
	for name, want := range map[string]string{
		"claude": `"timeout": 70`, "codex": `"timeout": 70`, "gemini": `"timeout": 70000`, "copilot": `70`, "cursor": `"timeout": 70`,
		"opencode": "const limit = 69000 ",
	} {
		change, err := with(t, testHook(t, name), "--wait", "60s").Install(nil)
		if err != nil || !bytes.Contains(change.Text, []byte(want)) {
			t.Errorf("%s: no %s, %v\n%s", name, want, err, change.Text)
		}
	}
	if h := with(t, testHook(t, "claude"), "--deadline", "1s"); h.timeout != Timeout {
		t.Errorf("a short deadline gives %s", h.timeout)
	}
	if h := with(t, testHook(t, "claude"), "--wait", "1500ms"); h.timeout != 11500*time.Millisecond {
		t.Errorf("half a second gives %s", h.timeout)
	}
	if h := with(t, testHook(t, "gemini"), "--wait", "596h"); h.timeout > MaxTimeout || h.timeout < 596*time.Hour {
		t.Errorf("the longest wait gives %s", h.timeout)
	}
}

// TestWrongOptions: what the hook would refuse at each call is refused when it is installed.
func TestWrongOptions(t *testing.T) {
	for _, options := range [][]string{
		{"--profil", "ci"}, {"ci"}, {"--wait", "-1s"}, {"--profile", ""}, {"--policy", "a", "--layers", "user"}, {"--fail", "maybe"}, {"--help"},
		{"--wait", "597h"}, {"--wait", "2562047h"}, {"--deadline", "2562047h"}, {"--wait", "300h", "--deadline", "300h"},
	} {
		if _, err := testHook(t, "claude").With(options); err == nil {
			t.Errorf("%q is taken", options)
		}
	}
}

// TestAdoptFromRepository: a repository chooses nothing that weakens the gate.
func TestAdoptFromRepository(t *testing.T) {
	for _, c := range []struct {
		options []string
		stay    bool
	}{
		{[]string{"--profile", "ci"}, true}, {[]string{"--wait", "5s", "--attended"}, true},
		{[]string{"--policy", "lax.hcl"}, false}, {[]string{"--fail", "open"}, false}, {[]string{"--unmatched=defer"}, false},
		{[]string{"--log", "none"}, false}, {[]string{"--layers", "project"}, false}, {[]string{"--worktree", "/x"}, false},
		{[]string{"--store", "/x"}, false}, {[]string{"--catalog", "x.json"}, false},
	} {
		h := testHook(t, "claude")
		change, err := with(t, h, c.options...).Install(nil)
		if err != nil {
			t.Fatal(err)
		}
		for scope, want := range map[harness.Scope]bool{harness.ScopeUser: true, harness.ScopeProject: c.stay, harness.ScopeLocal: c.stay} {
			if got := len(h.Adopt(change.Text, scope).Options()) > 0; got != want {
				t.Errorf("%q of %s: adopted is %t", c.options, scope, got)
			}
		}
	}
}

// TestSmallProgram: policyctl-hook takes the place of policyctl in an older entry, and the
// other way round, and neither is doubled.
func TestSmallProgram(t *testing.T) {
	for _, name := range harness.Names() {
		if NeedsWrapper(name) {
			continue
		}
		whole := testHook(t, name)
		small, err := NewHook(name, "/opt/plan gate/policyctl-hook", testWrapper)
		if err != nil {
			t.Fatal(err)
		}
		older, err := whole.Install(nil)
		if err != nil {
			t.Fatal(err)
		}
		newer, err := small.Install(older.Text)
		if err != nil || !newer.Changed() || !bytes.Contains(newer.Text, []byte("policyctl-hook")) {
			t.Fatalf("%s: %v\n%s", name, err, newer.Text)
		}
		fresh, err := small.Install(nil)
		if err != nil || !bytes.Equal(fresh.Text, newer.Text) {
			t.Errorf("%s: differs from a new file, %v\n%s\n%s", name, err, fresh.Text, newer.Text)
		}
		status, err := whole.Status(newer.Text)
		if err != nil || !status.complete() {
			t.Errorf("%s: the other copy does not count, %v, %v", name, status.wrong(), err)
		}
		if back, err := small.Remove(newer.Text, nil); err != nil || bytes.Contains(back.Text, []byte("policyctl")) {
			t.Errorf("%s: stays: %v\n%s", name, err, back.Text)
		}
	}
}

// TestShellGuard (HRN-8): a hook that is missing, is killed or fails ends with exit code 2
// and a reason; one that answers is left alone.
func TestShellGuard(t *testing.T) {
	for _, name := range []string{"codex", "gemini"} {
		for _, c := range []struct {
			script, stdout string
			code           int
		}{
			{"", "", 2}, {"kill -9 $$", "", 2}, {"kill -TERM $$", "", 2}, {`printf '{"hookSpec'; kill -9 $$`, `{"hookSpec`, 2},
			{`printf '{"hookSpec'; exit 3`, `{"hookSpec`, 2}, {"kill -SEGV $$", "", 2}, {"exit 1", "", 2}, {"exit 2", "", 2},
			{"echo '{}'", "{}\n", 0},
		} {
			program := filepath.Join(t.TempDir(), "policyctl")
			if c.script != "" {
				if err := os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			h, err := NewHook(name, program, "")
			if err != nil {
				t.Fatal(err)
			}
			var stdout, stderr strings.Builder
			cmd := exec.Command("/bin/sh", "-c", h.line(h.arguments(nil)))
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != c.code || stdout.String() != c.stdout {
				t.Errorf("%s: %q: exit code %d, %q", name, c.script, got, stdout.String())
			}
			if c.code == 2 && !strings.Contains(stderr.String(), "denied") {
				t.Errorf("%s: %q: no reason: %q", name, c.script, stderr.String())
			}
		}
	}
}

// TestPlaces: what the environment of init says of places stands in the entry, is no option
// of the user's, and another place in a file is not ours.
func TestPlaces(t *testing.T) {
	environment := map[string]string{"HOME": "/home/it's me", "XDG_STATE_HOME": "/state", "XDG_CONFIG_HOME": "relative"}
	getenv := func(name string) string { return environment[name] }
	places := []string{"--home", "/home/it's me", "--state-home", "/state"}
	for _, name := range harness.Names() {
		plain := testHook(t, name).Placed(getenv)
		h := with(t, plain, "--profile", "ci")
		if NeedsWrapper(name) {
			if got := plain.AdoptWrapper(h.WrapperText()).Options(); !slices.Equal(got, h.Options()) {
				t.Errorf("%s: options %q", name, got)
			}
			continue
		}
		change, err := h.Install(nil)
		if err != nil {
			t.Fatal(err)
		}
		status, err := h.Status(change.Text)
		if err != nil || !status.Installed() {
			t.Fatalf("%s: %v, %v", name, status, err)
		}
		if command := status.Entries[0].Command; !strings.Contains(strings.Join(command, "\n"), strings.Join(places, "\n")+"\n--profile\nci") {
			t.Errorf("%s: command %q", name, command)
		}
		adopted := plain.Adopt(change.Text, harness.ScopeUser)
		if got := adopted.Options(); !slices.Equal(got, h.Options()) {
			t.Errorf("%s: options %q", name, got)
		}
		if managed, err := h.For(harness.ScopeManaged).Install(nil); err != nil || bytes.Contains(managed.Text, []byte("--home")) {
			t.Errorf("%s: the machine's file names a home, %v", name, err)
		}
		other := bytes.ReplaceAll(change.Text, []byte("/state"), []byte("/evil"))
		for _, scope := range []harness.Scope{harness.ScopeUser, harness.ScopeProject} {
			if status, err := plain.Adopt(other, scope).Status(other); err != nil || status.complete() {
				t.Errorf("%s: another place counts, %v", name, err)
			}
		}
	}
	if _, err := testHook(t, "claude").With([]string{"--home", "/evil"}); err == nil {
		t.Error("--home is taken")
	}
	if got := testHook(t, "claude").Placed(func(string) string { return "" }).arguments(nil); len(got) != 3 {
		t.Errorf("without a home: %q", got)
	}
}
