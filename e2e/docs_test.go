//go:build unix

package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate/harness"
)

var update = flag.Bool("update", false, "write docs/harnesses.md anew")

const page = "docs/harnesses.md"

// TestDocs compares docs/harnesses.md with what package harness and the cases here say,
// so that the page cannot drift. With -update it writes the page.
func TestDocs(t *testing.T) {
	path := filepath.Join("..", filepath.FromSlash(page))
	want := document(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // a page for all to read
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("run go test ./e2e -run TestDocs -update, and read the difference:\n%s", diff)
	}
}

const preface = `# Agent CLIs and what their hooks can do

<!-- Written by go test ./e2e -run TestDocs -update. Do not edit. -->

` + "`policyctl hook NAME`" + ` answers an agent CLI's question before a tool call: may it run? What an answer is worth
depends on the CLI. This page says, for each, what reaches the hook, what it can say, what happens when the hook
itself fails, and who can switch it off. It is written from package harness, and the versions named are those whose
real program ` + "`make e2e`" + ` drives, offline, against a fake model: it looks at the disk and at what the model was
sent. Where a CLI could not be driven, the page says so, and what is said of it was read in its documentation.

## At a glance

`

func document(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(preface)
	var all []*harness.Info
	for _, name := range harness.Names() {
		all = append(all, describe(t, name))
	}
	glance(&b, t, all)
	failureTable(&b, all)
	casesText(&b, t)
	for _, info := range all {
		section(&b, info)
	}
	return b.String()
}

// driverOf returns the driver of a CLI, or nil.
func driverOf(info *harness.Info) driver {
	for _, d := range drivers() {
		if d.Name() == info.Name {
			return d
		}
	}
	return nil
}

// testName is the test that drives a CLI, such as TestClaude.
func testName(name string) string { return "Test" + strings.ToUpper(name[:1]) + name[1:] }

func row(b *strings.Builder, cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func glance(b *strings.Builder, t *testing.T, all []*harness.Info) {
	t.Helper()
	row(b, "CLI", "Version", "Sees every call?", "Deny", "Ask", "Rewrite", "Allow", "A failing hook", "Can be switched off by", "Verified by")
	row(b, "---", "---", "---", "---", "---", "---", "---", "---", "---", "---")
	for _, info := range all {
		version, deny, by := drivenAs(t, info)
		ask := "no: it " + info.AskHeadless
		if info.CanAsk {
			ask = "yes; headless it " + info.AskHeadless
		}
		allow := "leaves the call to the CLI's own rules"
		if info.CanAllow {
			allow = "skips the CLI's own question"
		}
		row(b, "["+info.Title+"](#"+anchor(info.Title)+")", version, seen(info), deny, ask, yesNo(info.CanModify), allow,
			failing(info), switchers(info), by)
	}
	b.WriteString("\n")
}

// drivenAs says with which version a CLI was driven, what is known of a deny, and by
// which test.
func drivenAs(t *testing.T, info *harness.Info) (version, deny, by string) {
	t.Helper()
	if d := driverOf(info); d != nil {
		return pinned(t, d.Package()), "yes; the model sees the reason", "`" + testName(info.Name) + "`"
	}
	if info.Name == "amp" {
		return pinned(t, ampPackage), "yes", "`TestAmp`, by its rule checker only"
	}
	return "not driven", "yes, as documented", "not driven: " + undriven()[info.Name]
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func seen(info *harness.Info) string {
	if n := len(info.Unseen); n > 0 {
		return fmt.Sprintf("no: %d exceptions, below", n)
	}
	return "yes"
}

// effect is what a failure does with the configuration that `policyctl init` writes.
func effect(info *harness.Info, failure harness.Failure) harness.Effect {
	if d := driverOf(info); d != nil {
		return expected(d, info, failure)
	}
	was := stated(info, failure)
	if info.FailClosed != "" && was == harness.Runs {
		return harness.Blocks // as its documentation says
	}
	return was
}

func failing(info *harness.Info) string {
	var open, closed int
	for _, f := range info.OnFailure {
		switch effect(info, f.Failure) {
		case harness.Runs:
			open++
		case harness.Blocks:
			closed++
		default:
		}
	}
	switch {
	case open == 0:
		return "stops the call, as far as known"
	case closed == 0:
		return "lets the call run"
	default:
		return fmt.Sprintf("stops the call in %d of %d ways, below", closed, len(info.OnFailure))
	}
}

func switchers(info *harness.Info) string {
	var files []string
	for _, s := range info.RepoOff {
		if file := "`" + s.File + "`"; settingText(s) != "" && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	if files == nil {
		return "nothing known"
	}
	return "the repository: " + strings.Join(files, ", ")
}

func anchor(title string) string {
	return strings.ReplaceAll(strings.ToLower(title), " ", "-")
}

// failureWords say what each failure is.
func failureWords() map[harness.Failure]string {
	return map[harness.Failure]string{
		harness.FailMissing:  "the program is missing",
		harness.FailCrash:    "it is killed by a signal",
		harness.FailExit1:    "it exits with 1",
		harness.FailExit2:    "it exits with 2 and a text on standard error",
		harness.FailTimeout:  "it takes longer than the CLI's limit",
		harness.FailBadJSON:  "it prints a text that is not JSON",
		harness.FailBadWord:  "it answers with a word that the CLI does not know",
		harness.FailTwoTexts: "it prints a line before or after the JSON",
		harness.FailNoReason: "it denies without a reason",
		harness.FailExtraKey: "it denies with a key that the CLI does not know",
	}
}

func failureTable(b *strings.Builder, all []*harness.Info) {
	b.WriteString("## When the hook fails\n\nWith the configuration that `policyctl init` writes, a call whose hook fails in one of these ways:\n\n")
	head, line := []string{"The hook fails like this"}, []string{"---"}
	for _, info := range all {
		head, line = append(head, info.Title), append(line, "---")
	}
	row(b, head...)
	row(b, line...)
	words := failureWords()
	for _, f := range all[0].OnFailure {
		cells := []string{words[f.Failure]}
		for _, info := range all {
			cell := string(effect(info, f.Failure))
			if was := stated(info, f.Failure); string(was) != cell && was != harness.Unknown {
				cell += " (without our settings: " + string(was) + ")"
			}
			if driverOf(info) != nil {
				cell += " ✓"
			}
			cells = append(cells, cell)
		}
		row(b, cells...)
	}
	b.WriteString(`
*blocks*: the call is refused. *runs*: as if there were no hook. *asks*: the human is asked. *hangs*: the CLI waits
for ever. *unknown*: not measured. ✓: ` + "`make e2e`" + ` makes the hook fail that way in the real program; the rest
was measured once, or read, as the version in package harness says.

` + "`policyctl hook`" + ` itself does none of this: it answers in the CLI's own form, exits as the CLI wants it, and denies in
time when it cannot decide. The table is for the day when it is not there, or is killed.

`)
}

const casesEnd = "- `repository_turns_hook_off_with_…` for each switch that a repository has against the user's hook\n" +
	"- `administrator_against_…` for the same switches, with the administrator's file in `/etc` (as root on Linux only)\n" +
	`
A denied call must leave nothing on the disk, and the reason must be in the result that the model is sent; an allowed
one must have run. ` + "`TestClaude` also has `slash_command_denied`" + `, for the shell lines of a repository's slash command. Codex
has no tool to read a file, so its models use ` + "`cat`" + `. Each CLI runs headless, with everything allowed that it can itself
allow, so that only the hook can have stopped a call; its own prompts are not driven.

`

func casesText(b *strings.Builder, t *testing.T) {
	t.Helper()
	b.WriteString("## What is verified, by which test\n\nEach of ")
	var tests []string
	for _, d := range drivers() {
		tests = append(tests, "`"+testName(d.Name())+"`")
	}
	b.WriteString(strings.Join(tests, ", ") + "\nfirst shows that the CLI runs a call when there is no hook, then has these cases:\n\n")
	w := &world{t: t, cli: claude{}}
	for _, group := range [][]check{checks(w), pair(w), nested(w)} {
		for _, c := range group {
			b.WriteString("- `" + strings.ReplaceAll(c.name, " ", "_") + "`\n")
		}
	}
	for _, s := range spoilings(nil) {
		b.WriteString("- `hook_fails_" + string(s.failure) + "`\n")
	}
	b.WriteString("- `" + strings.ReplaceAll(diesName, " ", "_") + "`\n- `policy_does_not_load`\n" + casesEnd)
}

func list(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	b.WriteString(title + "\n\n")
	for _, item := range items {
		b.WriteString("- " + strings.ReplaceAll(item, "\n", " ") + "\n")
	}
	b.WriteString("\n")
}

func section(b *strings.Builder, info *harness.Info) {
	b.WriteString("## " + info.Title + "\n\n")
	if info.Tested != "" {
		b.WriteString("Measured with " + info.Tested + ". ")
	}
	if info.Trust != "" {
		b.WriteString(info.Trust + " ")
	}
	b.WriteString(limits(info) + "\n\n")
	var files, events, repo []string
	for _, f := range info.Files {
		line := "`" + f.Path + "` (" + string(f.Scope) + ")"
		if f.Note != "" {
			line += ": " + f.Note
		}
		files = append(files, line)
	}
	for _, e := range info.Events {
		events = append(events, "`"+e.Name+"`: "+e.Why)
	}
	for _, s := range info.RepoOff {
		line := "`" + s.File + "`: `" + strings.ReplaceAll(s.Setting, "\n", " ") + "`"
		if s.Requires != "" {
			line += " (" + s.Requires + ")"
		}
		repo = append(repo, line)
	}
	list(b, "Where hooks are configured:", files)
	list(b, "Events:", events)
	list(b, "Never reaches the hook:", info.Unseen)
	list(b, "What a repository can do against it:", repo)
	list(b, "What an administrator can do:", info.Hardening)
	list(b, "Also:", info.Detail)
}

// limits says what holds about time and about the switch that makes failures block.
func limits(info *harness.Info) string {
	var parts []string
	switch {
	case info.TimeoutKey == "":
		parts = append(parts, "A hook has no limit of time.")
	case info.DefaultTimeout == 0:
		parts = append(parts, fmt.Sprintf("%#q limits a hook's time, in units of %s.", info.TimeoutKey, unit(info.TimeoutUnit)))
	default:
		parts = append(parts, fmt.Sprintf("%#q limits a hook's time, in units of %s; without it %s.",
			info.TimeoutKey, unit(info.TimeoutUnit), info.DefaultTimeout))
	}
	if info.FailClosed != "" {
		parts = append(parts, "`\""+info.FailClosed+"\": "+info.FailClosedValue+"` makes failures block.")
	}
	return strings.Join(parts, " ")
}

func unit(d time.Duration) string { return strings.TrimLeft(d.String(), "1") }
