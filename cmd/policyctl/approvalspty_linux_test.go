package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/layers"
)

// desk is an office whose person has a terminal.
type desk struct {
	*office
	keyboard *os.File // the other end of the terminal
	screen   *os.File
	done     chan int

	read sync.Mutex
	text string // what was shown and not waited for yet
	news chan struct{}
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{office: newOffice(t, officePolicy), done: make(chan int, 1), news: make(chan struct{}, 1)}
	d.keyboard, d.screen = openPTY(t)
	d.human.terminal = func() (*terminal, error) {
		file, err := os.OpenFile(d.screen.Name(), os.O_RDWR|unix.O_NOCTTY, 0)
		return newTerminal(file), err
	}
	go d.look()
	return d
}

// openPTY returns both ends of a new terminal, which echoes nothing.
func openPTY(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	modes, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	modes.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(int(screen.Fd()), unix.TCSETS, modes); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyboard.Close(); _ = screen.Close() })
	return keyboard, screen
}

func (d *desk) look() {
	buffer := make([]byte, 4096)
	for {
		n, err := d.keyboard.Read(buffer)
		d.read.Lock()
		d.text += strings.ReplaceAll(string(buffer[:n]), "\r\n", "\n")
		d.read.Unlock()
		select {
		case d.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// start runs policyctl approvals at the terminal.
func (d *desk) start(args ...string) {
	w := &world{stdin: d.screen, stdout: bufio.NewWriter(d.screen), stderr: d.screen, getenv: d.getenv, now: d.now}
	go func() { d.done <- d.runIn(w, args...) }()
}

// sees waits for a text on the screen and returns all up to its end.
func (d *desk) sees(text string) string {
	d.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		d.read.Lock()
		before, rest, found := strings.Cut(d.text, text)
		if found {
			d.text = rest
		}
		all := d.text
		d.read.Unlock()
		if found {
			return before + text
		}
		select {
		case <-d.news:
		case <-limit:
			d.t.Fatalf("%q does not come; there is:\n%s", text, all)
		}
	}
}

func (d *desk) types(text string) {
	d.t.Helper()
	if _, err := d.keyboard.WriteString(text); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) ends(code int) {
	d.t.Helper()
	select {
	case got := <-d.done:
		if got != code {
			d.t.Errorf("exit code %d, want %d", got, code)
		}
	case <-time.After(20 * time.Second):
		d.t.Fatal("it does not end")
	}
}

func (d *desk) wantState(item gate.Item, state gate.State) gate.Item {
	d.t.Helper()
	got := d.item(item.ID)
	if got.State != state {
		d.t.Errorf("%s is %s, want %s", item.Call.ID, got.State, state)
	}
	return got
}

func TestTerminalAsks(t *testing.T) {
	tests := []struct {
		name, typed string
		exit        int
		state       gate.State
	}{
		{"yes", "y\n", codeFine, gate.Ready},
		{"yes in full", " YES \n", codeFine, gate.Ready},
		{"no", "n\n", codeFindings, gate.Waiting},
		{"appr-21 nothing is no yes", "\n", codeFindings, gate.Waiting},
		{"something else", "sure\n", codeFindings, gate.Waiting},
		{"end of input", "\x04", codeFindings, gate.Waiting},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			item := d.ask("t1", "KEY=s3cr3t make \x1b[2Ktest")[0]
			d.start("allow", item.ID[:6])
			shown := d.sees("Allow this call once? [y/N] ")
			wantIn(t, shown, `| KEY=s3cr3t make \x1b[2Ktest`, item.Digest) // audit-04, appr-20
			checkSafe(t, shown)
			d.types(test.typed)
			d.ends(test.exit)
			d.wantState(item, test.state)
		})
	}
}

func TestTerminalForgetsWhatWasTypedBefore(t *testing.T) {
	d := newDesk(t)
	item := d.ask("t1", "make test")[0]
	d.types("y\ny\n")
	d.start("allow", item.ID)
	d.sees("[y/N] ")
	d.types("n\n")
	d.ends(codeFindings)
	d.wantState(item, gate.Waiting)
}

func TestTerminalAnswersOneByOne(t *testing.T) { // appr-15
	d := newDesk(t)
	items := d.ask("t1", "a", "b", "c")
	d.start("allow", items[0].ID, items[1].ID[:8], items[2].ID)
	for i, answer := range []string{"n\n", "y\n", "n\n"} {
		wantIn(t, d.sees("[y/N] "), "Approval "+items[i].ID)
		d.types(answer)
	}
	d.ends(codeFindings)
	d.wantState(items[0], gate.Waiting)
	d.wantState(items[1], gate.Ready)
	d.wantState(items[2], gate.Waiting)
}

func TestTerminalYesStillShows(t *testing.T) {
	d := newDesk(t)
	item := d.ask("t1", "make test")[0]
	d.start("deny", item.ID[:6], "--yes")
	d.sees("is no whole id")
	d.ends(codeUsage)
	d.start("deny", item.ID, "--yes")
	wantIn(t, d.sees("denied once (bash)"), "| make test")
	d.ends(codeFine)
	d.wantState(item, gate.Denied)
}

func TestTerminalShowsWhatAlwaysWrites(t *testing.T) {
	d := newDesk(t)
	item := d.ask("t1", "make test")[0]
	d.start("allow", item.ID, "--scope", "always")
	wantIn(t, d.sees("always, by policy? [y/N] "), "Policy that is to be written", `command = ["=make test"]`)
	d.types("n\n")
	d.ends(codeFindings)
	d.wantState(item, gate.Waiting)
	if text, err := os.ReadFile(filepath.Join(d.project, "agent.hcl")); err != nil || string(text) != officePolicy {
		t.Errorf("written: %s (%v)", text, err)
	}
}

func TestTerminalOutlivedByTheCall(t *testing.T) {
	d := newDesk(t)
	item := d.ask("t1", "make test")[0]
	d.start("allow", item.ID)
	d.sees("[y/N] ")
	d.pass(2 * time.Hour) // appr-07: checked when the answer comes
	d.types("y\n")
	d.sees("[expired]")
	d.ends(codeFindings)
	d.wantState(item, gate.Denied)
}

func TestWatchDialog(t *testing.T) {
	d := newDesk(t)
	first := d.ask("t1", "first")[0]
	d.start("watch", "--actor", "ann")
	wantIn(t, d.sees("[q]uit: "), "| first", first.ID)
	second := d.ask("t2", "second")[0]
	wantIn(t, d.sees("[q]uit: "), "+ "+second.ID[:8]+" came: bash (2 wait)")
	d.types("x\n")
	d.sees("Type one of the letters")
	d.sees("[q]uit: ")
	d.types("d\n")
	d.sees("message for the model (may be empty): ")
	d.types("Use \x7fthe other one.\n")
	d.sees(first.ID + ": denied once (bash)")
	if got := d.wantState(first, gate.Denied); got.Answer.Actor != "ann" || !strings.Contains(got.Text, "the other one.") {
		t.Errorf("got %q by %+v", got.Text, got.Answer)
	}
	wantIn(t, d.sees("[q]uit: "), "| second")
	d.types("n\n")
	d.sees("You passed over all that waits (1 waits).")
	third := d.ask("t3", "third")[0]
	wantIn(t, d.sees("[q]uit: "), "Enter shows it again")
	wantIn(t, d.sees("[q]uit: "), "| third")
	d.types("a\n")
	d.sees(third.ID + ": allowed once (bash)")
	d.sees("You passed over all that waits (1 waits). Enter shows it again, [q]uit: ")
	d.types("\n")
	wantIn(t, d.sees("[q]uit: "), "| second")
	d.types("w\n")
	wantIn(t, d.sees("[y/N] "), `command = ["=second"]`)
	d.types("n\n")
	d.sees("[q]uit: ")
	d.types("s\n")
	d.sees("allowed for the session (bash)")
	d.sees("Nothing waits.")
	d.wantState(second, gate.Ready)
	d.types("q\n")
	d.ends(codeFine)
}

func TestWatchNeverAnswersWhatCameInBetween(t *testing.T) {
	d := newDesk(t)
	items := d.ask("t1", "a", "b")
	d.start("watch")
	shown := d.sees("[q]uit: ")
	current, other := items[0], items[1]
	if strings.Contains(shown, other.ID) {
		current, other = other, current
	}
	d.allow(current, "bob")
	wantIn(t, d.sees("Press Enter to go on."), "- "+current.ID[:8]+": allowed by bob")
	d.types("d\n") // meant for the one that is gone
	wantIn(t, d.sees("[q]uit: "), other.ID)
	d.wantState(other, gate.Waiting)
	d.types("\x04")
	d.ends(codeFine)
	d.wantState(other, gate.Waiting)
}

func TestWatchTellsAgentsOnly(t *testing.T) {
	d := newDesk(t)
	d.human.terminal = newOffice(t, officePolicy).human.terminal
	item := d.ask("t1", "KEY=s3cr3t make")[0]
	t.Chdir(d.project)
	d.start("watch")
	wantIn(t, d.sees("KEY=[masked] make"), "only showing: [no_terminal]", item.ID+" pending s1 bash")
	d.allow(item, "bob")
	wantNotIn(t, d.sees("allowed by bob s1 bash"), "s3cr3t")
}

func TestWatchJSON(t *testing.T) {
	d := newDesk(t)
	item := d.ask("t1", "KEY=s3cr3t \x1b make")[0]
	d.start("watch", "--format", "json")
	pending := d.sees("}\n")
	d.allow(item, "bob")
	for want, text := range map[string]string{"pending": pending, "settled": d.sees("}\n")} {
		var event watchEvent
		if err := json.Unmarshal([]byte(text), &event); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		if event.Event != want || event.Item.ID != item.ID || !event.Item.Masked || strings.Contains(text, "s3cr3t") {
			t.Errorf("got %s", text)
		}
	}
}

func TestWatchTellsExpiry(t *testing.T) { // appr-07: nothing changes in the store when time is up
	d := newDesk(t)
	d.live = true
	d.write("agent.hcl", officePolicy+"approvals {\n  expires_in = \"2s\"\n}\n")
	if _, err := layers.TrustFile(layers.DefaultPlaces(d.getenv), filepath.Join(d.project, "agent.hcl")); err != nil {
		t.Fatal(err)
	}
	item := d.ask("t1", "make test")[0]
	d.start("watch")
	d.sees("[q]uit: ")
	d.sees("- " + item.ID[:8] + ": expired. Press Enter to go on.")
	d.types("\n")
	d.sees("Nothing waits.")
	d.types("q\n")
	d.ends(codeFine)
	d.wantState(item, gate.Denied)
}

func TestTokenCommand(t *testing.T) {
	d := newDesk(t)
	item := d.ask("t1", "make test")[0]
	name := filepath.Join(d.home, "mine")
	tests := []struct {
		args []string
		exit int
		say  string
	}{
		{[]string{"token", "--revoke"}, codeUsage, "no token to end"},
		{[]string{"token", "--create", filepath.Join(d.project, "mine")}, codeUsage, "is in the project"},
		{[]string{"token", "--create", name}, codeFine, "Wrote a token"},
		{[]string{"token", "--create", name}, codeUsage, "file exists"},
		{[]string{"deny", item.ID, "--yes", "--token-file", name}, codeFine, "denied once"},
		{[]string{"token", "--revoke"}, codeFine, "no longer valid"},
		{[]string{"deny", item.ID, "--yes", "--token-file", name}, codeFindings, "[bad_token]"},
	}
	for _, test := range tests {
		d.start(test.args...)
		d.sees(test.say)
		d.ends(test.exit)
	}
	token, err := os.ReadFile(name)
	info, err2 := os.Stat(name)
	if err != nil || err2 != nil || info.Mode().Perm() != 0o600 || len(token) != len(tokenPrefix)+64+1 {
		t.Errorf("%q, %v, %v, %v", token, info.Mode(), err, err2)
	}
}
