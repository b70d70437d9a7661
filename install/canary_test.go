package install

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
)

func adapter(t *testing.T, name string) harness.Harness {
	t.Helper()
	h, ok := harness.Find(name)
	if !ok {
		t.Fatalf("no adapter for %s", name)
	}
	return h
}

// TestCanaryPayloads proves that the adapter of each CLI reads the canned payload as a
// call of a shell by that CLI, which is what the canary's policy is about.
func TestCanaryPayloads(t *testing.T) {
	for _, name := range harness.Names() {
		h := testHook(t, name)
		payload, env := h.canaryPayload("/tmp/canary")
		request, err := adapter(t, name).Read(harness.Input{
			Payload: payload, Dir: "/tmp/canary", Event: h.info.Events[0].Name,
			Getenv: func(name string) string { return Runner{Environ: env}.getenv(name) },
		})
		if err != nil || len(request.Warnings) > 0 || len(request.Extra) > 0 || request.Cwd != "/tmp/canary" {
			t.Errorf("%s: %v, %v, %v, %q", name, err, request.Warnings, request.Extra, request.Cwd)
		}
		for _, call := range request.Calls {
			if call.Provider != name || !strings.Contains(string(call.Input), canaryFile) {
				t.Errorf("%s: %+v", name, call)
			}
		}
		if len(request.Calls) == 0 {
			t.Errorf("%s: no calls", name)
		}
	}
}

// TestDenies proves that only a deny counts, written as the CLI obeys it (hook-14).
func TestDenies(t *testing.T) {
	for _, name := range harness.Names() {
		h := testHook(t, name)
		request := harness.Request{Event: h.info.Events[0].Name}
		for _, verdict := range []harness.Verdict{harness.Deny, harness.Ask, harness.NoOpinion, harness.Allow} {
			out := adapter(t, name).Answer(request, harness.Answer{Verdict: verdict, Reason: "because"})
			// These cannot ask in a run without a human, so their adapters deny instead.
			asDeny := verdict == harness.Ask && slices.Contains([]string{"codex", "cursor", "gemini", "opencode"}, name)
			reason, err := h.Denies(out.Stdout, out.Stderr, out.Code)
			if verdict == harness.Deny || asDeny {
				if err != nil || !strings.Contains(reason, "because") {
					t.Errorf("%s %s: %q, %v", name, verdict, reason, err)
				}
			} else if !errors.Is(err, ErrNotDenied) {
				t.Errorf("%s %s counts as a deny: %q", name, verdict, reason)
			}
		}
	}
}

func TestProofOf(t *testing.T) {
	for reason, want := range map[string]Proof{
		CanaryName + ": x": ProofCanary, "no shell here [policy:mine]": ProofOther,
		"the policy does not load [builtin:policy_error]": ProofBroken, " ": ProofBroken,
	} {
		if got := ProofOf(reason); got != want {
			t.Errorf("%q: %d", reason, got)
		}
	}
}

func TestNoDeny(t *testing.T) {
	good := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}`
	for _, c := range []struct {
		title, cli, stdout, stderr string
		code                       int
	}{
		{"empty", "claude", "", "", 0},
		{"null", "claude", "null", "", 0},
		{"hook-05 text before", "claude", "hello\n" + good, "", 0},
		{"hook-05 two objects", "claude", good + good, "", 0},
		{"hook-13 another event", "claude", strings.Replace(good, "PreToolUse", "PermissionRequest", 1), "", 0},
		{"no reason", "codex", strings.Replace(good, `"x"`, `" "`, 1), "", 0},
		{"another word", "codex", strings.Replace(good, `"deny"`, `"denied"`, 1), "", 0},
		{"exit 1", "codex", good, "", 1},
		{"usage error", "claude", "", "unknown command", 2},
		{"missing program", "cursor", "", "not found", 127},
		{"Claude's form", "gemini", good, "", 0},
		{"Claude's form", "copilot", good, "", 0},
		{"exit 3", "amp", "", "x", 3},
		{"allow", "amp", "", "", 0},
		{"another key", "opencode", `{"verdict":"deny","reason":"x"}`, "", 0},
	} {
		if reason, err := testHook(t, c.cli).Denies([]byte(c.stdout), []byte(c.stderr), c.code); !errors.Is(err, ErrNotDenied) {
			t.Errorf("%s %s counts as a deny: %q", c.cli, c.title, reason)
		}
	}
}

// stub writes a program that answers as a script says.
func stub(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policyctl")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// denying is a stub that denies what the canary's policy denies, for Claude Code.
const denying = `cat >/dev/null
reason=$(sed -n 's/^  reason = "\(.*\)"$/\1/p' agent.hcl)
printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"%s"}}' "$reason"`

func TestCanary(t *testing.T) {
	runner := Runner{Environ: os.Environ()}
	for _, c := range []struct {
		title, script string
		proved        bool
	}{
		{"answers", denying, true},
		{"runs the call", `touch plangate-canary-side-effect;` + denying, false},
		{"hook-02 crashes", `kill -9 $$`, false},
		{"hook-02 exit 1", denying + "\nexit 1", false},
		{"says nothing", "cat >/dev/null", false},
		{"noise before", "echo hello;" + denying, false},
		{"does not read", `exec 0<&-;` + strings.Replace(denying, "cat >/dev/null", "", 1), true},
	} {
		h, err := NewHook("claude", stub(t, c.script), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range []Entry{{Command: h.arguments(nil)}, {Line: quote(h.arguments(nil)), Command: h.arguments(nil)}} {
			reason, err := runner.Canary(t.Context(), h, entry)
			if proved := err == nil && strings.Contains(reason, CanaryName); proved != c.proved || err != nil && !errors.Is(err, ErrNotDenied) {
				t.Errorf("%s: %q, %v", c.title, reason, err)
			}
		}
	}
	missing, err := NewHook("claude", "/nowhere/policyctl", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runner.Canary(t.Context(), missing, Entry{Command: missing.arguments(nil)}); !errors.Is(err, ErrNotDenied) {
		t.Errorf("hook-02 missing binary: %v", err)
	}
}

func TestLookIgnoresRelativePath(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "sub")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(parent)
	if (Runner{Environ: []string{"PATH=sub::."}}).Present(testHook(t, "claude")) {
		t.Error("a program of the current directory is taken for the CLI")
	}
	if !(Runner{Environ: []string{"PATH=" + dir}}).Present(testHook(t, "claude")) {
		t.Error("the CLI is not found")
	}
}

// TestCanaryPolicy proves that the canary's policy denies the canary call although
// nobody trusts it, even where the user's policy allows everything (spec LAY-4).
func TestCanaryPolicy(t *testing.T) {
	user := filepath.Join(t.TempDir(), "agent.hcl")
	const all = "policy \"all\" {\n  match = {}\n  action = \"allow\"\n}\n" +
		"policy \"touch\" {\n  match = { operation = \"*\", kind = \"resource\", risk = \"high\" }\n  action = \"allow\"\n}\n" +
		"policy \"exact\" {\n  match = { operation = [\"bash\", \"shell\"] }\n  command = [\"touch\"]\n  action = \"allow\"\n}\n" + "defaults {\n  resource    = \"allow\"\n  data_source = \"allow\"\n}\n"
	if err := os.WriteFile(user, []byte(all), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range harness.Names() {
		h := testHook(t, name)
		dir, err := h.canaryDir()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		table, diags, _ := load.Table(layers.Options{Dir: dir, Places: layers.Places{User: user}, Now: time.Unix(0, 0)})
		if diags.HasErrors() {
			t.Fatalf("%s: %v", name, diags)
		}
		payload, env := h.canaryPayload(dir)
		request, err := adapter(t, name).Read(harness.Input{
			Payload: payload, Dir: dir, Event: h.info.Events[0].Name,
			Getenv: func(name string) string { return Runner{Environ: env}.getenv(name) },
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range request.Calls {
			if decision := table.Decide(call); decision.Action() != plangate.Deny || !strings.Contains(decision.Reason(), CanaryName) {
				t.Errorf("%s: %s, %q", name, decision.Action(), decision.Reason())
			}
		}
	}
}
