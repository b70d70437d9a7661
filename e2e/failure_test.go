//go:build unix

package e2e

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate/harness"
)

// A spoiling makes the installed hook fail in one way. The configuration stays as it was
// installed; only the program behind it is replaced by a script, or gone.
type spoiling struct {
	failure harness.Failure
	script  string // "" means no program at all
}

// spoilings are all ways to fail that package harness states. The last ones are answers
// of the CLI's own adapter, slightly wrong.
func spoilings(h harness.Harness) []spoiling {
	return []spoiling{
		{harness.FailMissing, ""},
		{harness.FailCrash, "kill -9 $$\n"},
		{harness.FailExit1, "echo broken >&2\nexit 1\n"},
		{harness.FailExit2, "echo broken >&2\nexit 2\n"},
		{harness.FailTimeout, "exec sleep 45\n"},
		{harness.FailBadJSON, "echo this is no JSON\n"},
		{harness.FailBadWord, wrong(h, func(deny string) string { return strings.Replace(deny, `"deny"`, `"perhaps"`, 1) })},
		{harness.FailTwoTexts, wrong(h, func(deny string) string { return "a line before\n" + deny })},
		{harness.FailNoReason, wrong(h, func(deny string) string { return reasonMember.ReplaceAllString(deny, "") })},
		{harness.FailExtraKey, wrong(h, func(deny string) string { return strings.Replace(deny, "{", `{"surprise":1,`, 1) })},
	}
}

// wrongReason is the reason in an answer that is made wrong, reasonMember its member.
const wrongReason = "e2e-wrong-answer"

var reasonMember = regexp.MustCompile(`,"[A-Za-z]+":"` + wrongReason + `"`)

// wrong is a script that denies every event, with a change to the answer.
func wrong(h harness.Harness, change func(deny string) string) string {
	if h == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("case \"$*\" in\n")
	events := h.Info().Events
	for _, event := range events[1:] {
		fmt.Fprintf(&b, "*\"--event %s\"*) cat <<'END'\n%s\nEND\n;;\n", event.Name, change(string(h.Refuse(event.Name, wrongReason).Stdout)))
	}
	fmt.Fprintf(&b, "*) cat <<'END'\n%s\nEND\n;;\nesac\n", change(string(h.Refuse(events[0].Name, wrongReason).Stdout)))
	return b.String()
}

// failures spoils the hook in every way.
func failures(t *testing.T, cli driver, info *harness.Info) {
	t.Helper()
	h, _ := harness.Find(info.Name)
	for _, s := range spoilings(h) {
		t.Run("hook fails "+string(s.failure), func(t *testing.T) {
			want := expected(cli, info, s.failure)
			if want == harness.Unknown {
				t.Fatalf("%s: what %s does is not stated", info.Name, s.failure)
			}
			w := newWorld(t, cli, func(*world) script {
				return script{mainMarker: {{Calls: []toolCall{cli.Shell("touch after-failure")}}}}
			})
			cli.Configure(w)
			w.install()
			w.spoil(s.script)
			end := w.run()
			result, answered := w.model.result(place{marker: mainMarker})
			if !answered || end.timedOut {
				t.Fatalf("the model was sent no result within %s", end.took)
			}
			if ran := w.exists("after-failure"); ran != (want == harness.Runs) {
				t.Errorf("the call ran: %t; package harness says %s; the model saw %q", ran, want, result)
			}
			t.Logf("%s after %s; the model saw %q", want, end.took.Round(time.Millisecond), result)
		})
	}
}

// dies lets the hook be killed in the middle of its answer, an allow. However init has installed
// it, the call must not run, whatever package harness says of text that is not JSON.
func dies(t *testing.T, cli driver) {
	t.Helper()
	t.Run(diesName, func(t *testing.T) {
		w := newWorld(t, cli, func(*world) script {
			return script{mainMarker: {{Calls: []toolCall{cli.Shell("touch after-failure")}}}}
		})
		cli.Configure(w)
		w.install()
		w.spoil(`printf '{"decision":"allow","permissionDecision":"allow","hookSpecificOutput":{"hookEv'` + "\nkill -9 $$\n")
		w.run()
		w.verify(t, check{reason: anyReason, left: "after-failure"}, place{marker: mainMarker})
	})
}

const diesName = "hook dies in its answer"

// unreadable proves that a policy that does not load denies, and that the model is told.
func unreadable(t *testing.T, cli driver) {
	t.Helper()
	t.Run("policy does not load", func(t *testing.T) {
		w := newWorld(t, cli, func(*world) script {
			return script{mainMarker: {{Calls: []toolCall{cli.Shell("touch after-failure")}}}}
		})
		cli.Configure(w)
		w.install()
		w.put(w.inHome(policyPath), "policy \"broken\" {\n")
		w.run()
		w.verify(t, check{reason: "agent.hcl", left: "after-failure"}, place{marker: mainMarker})
	})
}

// hardened is a driver whose installed configuration makes another thing of some
// failures than package harness says of a single plain hook.
type hardened interface {
	Installed(failure harness.Failure) (harness.Effect, bool)
}

// expected is what becomes of a call whose hook fails, as it is installed.
func expected(cli driver, info *harness.Info, failure harness.Failure) harness.Effect {
	if h, ok := cli.(hardened); ok {
		if effect, known := h.Installed(failure); known {
			return effect
		}
	}
	if guarded := []harness.Failure{harness.FailMissing, harness.FailCrash, harness.FailExit1}; info.Shell && slices.Contains(guarded, failure) {
		return harness.Blocks // what init writes after the program
	}
	return stated(info, failure)
}

func stated(info *harness.Info, failure harness.Failure) harness.Effect {
	for _, f := range info.OnFailure {
		if f.Failure == failure {
			return f.Effect
		}
	}
	return harness.Unknown
}

// spoil replaces the program that the installed hook runs, whichever of the two it is.
func (w *world) spoil(text string) {
	w.t.Helper()
	for _, program := range []string{w.program, w.small()} {
		if err := os.Remove(program); err != nil {
			w.t.Fatal(err)
		}
		if text == "" {
			continue
		}
		w.put(program, "#!/bin/sh\n"+text)
		if err := os.Chmod(program, 0o700); err != nil {
			w.t.Fatal(err)
		}
	}
}
