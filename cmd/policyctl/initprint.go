package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/install"
	"github.com/plangate/plangate/internal/errtext"
)

// printResult says what was done to a file.
func (r *initRun) printResult(result install.Result, unchanged string) {
	out := r.w.stdout
	if !result.Changed() {
		fmt.Fprintf(out, "%s: %s\n", escape(result.Path), unchanged)
		return
	}
	fmt.Fprintf(out, "%s:\n", escape(result.Path))
	for _, what := range result.What {
		fmt.Fprintf(out, "  %s\n", escape(what))
	}
	if result.Backup != "" {
		fmt.Fprintf(out, "  backup: %s\n", escape(result.Backup))
	}
}

// preview prints what would be changed.
func (r *initRun) preview(remove bool) error {
	old, result, err := install.Preview(r.path, func(text []byte, earlier [][]byte) (install.Change, error) {
		if remove {
			return r.hook.Remove(text, earlier)
		}
		return r.hook.Install(text)
	})
	if err != nil {
		return fileError(r.path, err)
	}
	if !result.Changed() {
		fmt.Fprintf(r.w.stdout, "%s: nothing to do\n", escape(result.Path))
		return nil
	}
	after := result.Text
	if result.Delete {
		after = nil
	}
	name := escape(result.Path)
	fmt.Fprintf(r.w.stdout, "%s", escapeLines(string(diff.Diff(name+".orig", old, name, after))))
	if r.config != "" && !remove {
		fmt.Fprintf(r.w.stdout, "Codex would then be asked for the hash of the hook, and its trust stored in %s.\n", escape(r.config))
	}
	if r.wrapper != "" && !remove {
		fmt.Fprintf(r.w.stdout, "The program %s would be written: %s gives its hook no arguments.\n", escape(r.wrapper), r.hook.Info().Title)
	}
	return nil
}

// trust makes Codex trust the hook, which is what a person does with /hooks. It reports
// whether Codex says that it does.
func (r *initRun) trust(ctx context.Context) (trusted bool, err error) {
	result, err := r.machine.Trust(ctx, r.hook, r.path, r.target(r.config))
	var text *install.TextError
	switch {
	case errors.Is(err, install.ErrNotFound):
		fmt.Fprintln(r.w.stdout, "Trust: codex is not in the PATH, so it was not asked for the hash of the hook. "+
			"Until it is trusted Codex skips the hook without a word.")
		fmt.Fprintln(r.w.stdout, "Left to you: install Codex and run this again, or review the hook with /hooks in Codex.")
		return false, nil
	case errors.As(err, &text):
		return false, fileError(r.config, err)
	}
	if result.Changed() {
		r.printResult(result, "")
	}
	if err != nil {
		fmt.Fprintf(r.w.stdout, "Trust: FAILED: %s\n", escape(errtext.Plain(err)))
		fmt.Fprintln(r.w.stdout, "Left to you: review the hook with /hooks in Codex. Until it is trusted Codex skips it without a word.")
		return false, nil
	}
	fmt.Fprintln(r.w.stdout, "Trust: codex says that the hook is trusted and switched on.")
	return true, nil
}

// prove runs the installed hook for a call that must be denied.
func (r *initRun) prove(ctx context.Context) bool {
	text, err := install.ReadFile(r.path)
	if err != nil {
		fmt.Fprintf(r.w.stdout, "Self-test: FAILED: %s\n", escape(errtext.Plain(err)))
		return false
	}
	status, err := r.hook.Status(text)
	entry, ok := r.hook.CanaryEntry(status)
	if err != nil || !ok {
		fmt.Fprintf(r.w.stdout, "Self-test: FAILED: the hook is not in %s\n", escape(r.path))
		return false
	}
	reason, err := r.machine.Runner.Canary(ctx, r.hook, entry)
	if err != nil {
		fmt.Fprintf(r.w.stdout, "Self-test: FAILED: %s\n", escape(errtext.Plain(err)))
		return false
	}
	fmt.Fprintf(r.w.stdout, "Self-test: the installed hook denied the canary call%s.\n", because(reason))
	return r.drive(ctx) && install.ProofOf(reason) != install.ProofBroken
}

// because tells what the reason of a denial shows.
func because(reason string) string {
	switch install.ProofOf(reason) {
	case install.ProofCanary:
		return ", and nothing ran"
	case install.ProofOther:
		return ", but for another reason: " + oneLine(reason, 200)
	default:
		return ", but as it denies every call, which is a FAILURE: " + oneLine(reason, 400)
	}
}

// drive lets the CLI itself judge the canary call, where it can without a model.
func (r *initRun) drive(ctx context.Context) bool {
	title := r.hook.Info().Title
	if r.hook.Info().Name != "amp" {
		fmt.Fprintf(r.w.stdout, "Not driven: %s itself needs a model; run `make e2e` in a checkout of Plangate.\n", title)
		return true
	}
	if !r.machine.Runner.Present(r.hook) || r.scope != harness.ScopeUser {
		fmt.Fprintf(r.w.stdout, "Not driven: `amp permissions test` judges the user's settings, where amp is installed.\n")
		return true
	}
	reason, err := r.machine.Runner.AmpTest(ctx, r.hook)
	if err != nil {
		fmt.Fprintf(r.w.stdout, "Driven: FAILED: %s\n", escape(errtext.Plain(err)))
		return false
	}
	fmt.Fprintf(r.w.stdout, "Driven: amp permissions test rejects the canary call%s.\n", because(reason))
	return install.ProofOf(reason) != install.ProofBroken
}

// printLeft says what is left to the person, and what the hook does not see.
func (r *initRun) printLeft(ctx context.Context) {
	info := r.hook.Info()
	out := r.w.stdout
	fmt.Fprintln(out, "Left to you:")
	fmt.Fprintf(out, "  - start %s anew: a running session may keep the hooks it began with\n", info.Title)
	if since := r.hook.ClosedSince(); since != "" {
		if version, err := r.machine.Runner.Version(ctx, r.hook); err == nil && install.Older(version, since) {
			fmt.Fprintf(out, "  - update %s: version %s may not know %q, which makes a failing hook block; %s does\n",
				info.Title, escape(version), info.FailClosed, since)
		}
	}
	if r.scope == harness.ScopeProject {
		fmt.Fprintln(out, "  - the entry has the absolute path of policyctl on this machine: others run init themselves")
		if info.Trust != "" && r.config == "" {
			fmt.Fprintf(out, "  - trust the folder in %s: %s\n", info.Title, info.Trust)
		}
	}
	for _, text := range r.machine.Doubled(r.hook) {
		fmt.Fprintf(out, "  - %s\n", escape(text))
	}
	for _, text := range r.hook.Hardening() {
		fmt.Fprintf(out, "  - to harden it: %s\n", text)
	}
	fmt.Fprintln(out, "Never reaches the gate:")
	for _, text := range info.Unseen {
		fmt.Fprintf(out, "  - %s\n", text)
	}
}
