//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plangate/plangate/harness"
)

// A driver knows one CLI: its settings, and what its tools are called.
type driver interface {
	// Name is the CLI's name in package harness.
	Name() string
	// Package is the npm package that it comes from.
	Package() string
	// Configure writes what a user would have set up before: model, MCP server, trust.
	Configure(w *world)
	// Command is one headless run with everything allowed that the CLI itself can allow.
	Command(w *world, prompt string) (args, env []string)

	Shell(command string) toolCall
	Write(path, text string) toolCall
	Edit(path, old, replacement string) toolCall
	Read(path string) toolCall
	MCP(tool string) toolCall
	// Agent is the turns that start a sub-agent with a prompt and wait for it.
	Agent(prompt string) []turn
	// AgentEnd is the turn with which a sub-agent ends.
	AgentEnd() turn
}

// The markers of the prompts.
const (
	mainMarker = "E2E-MAIN"
	subMarker  = "E2E-SUB"
)

// drive runs every case of a CLI.
func drive(t *testing.T, cli driver) {
	t.Helper()
	info := describe(t, cli.Name())
	version, err := reach(t, cli, info)
	if err != nil {
		driven.no(info.Title, err.Error())
		t.Skip(err)
	}
	driven.yes(info.Title + " " + version)
	decisions(t, cli)
	failures(t, cli, info)
	dies(t, cli)
	unreadable(t, cli)
	switches(t, cli, info)
	administered(t, cli, info)
}

func describe(t *testing.T, name string) *harness.Info {
	t.Helper()
	h, ok := harness.Find(name)
	if !ok {
		t.Fatalf("no harness %q", name)
	}
	return h.Info()
}

// reach finds out whether the CLI can be driven at all: it has the pinned version, and
// without a hook it runs what the fake model calls. That is also the control of all
// other cases: only the hook can have stopped their calls.
func reach(t *testing.T, cli driver, info *harness.Info) (string, error) {
	t.Helper()
	if os.Getenv(clisEnv) == "" {
		return "", fmt.Errorf("%s does not name the directory of node_modules; use make e2e", clisEnv)
	}
	w := newWorld(t, cli, func(*world) script {
		return script{mainMarker: {{Calls: []toolCall{cli.Shell("mkdir control")}}}}
	})
	version, err := w.version(info, cli.Package())
	if err != nil {
		return "", err
	}
	cli.Configure(w)
	end := w.run()
	if _, answered := w.model.result(place{marker: mainMarker}); !answered || !w.exists("control") {
		return "", fmt.Errorf("%s %s made no call without a hook: %w: %s", info.Program, version, end.err, tail(end.output))
	}
	return version, nil
}

// version starts the CLI to hear its version, which must be the pinned one.
func (w *world) version(info *harness.Info, from string) (string, error) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	out, err := w.command(ctx, info.Program, info.Version...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s does not start: %w: %s", info.Program, err, tail(string(out)))
	}
	want := pinned(w.t, from)
	if !strings.Contains(string(out), want) {
		w.t.Fatalf("%s says it is %q; package.json pins %s", info.Program, out, want)
	}
	return want, nil
}

// pinned is the version that package.json asks for.
func pinned(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	version := manifest.Dependencies[name]
	if version == "" {
		t.Fatalf("package.json does not pin %s", name)
	}
	return version
}

// A check is a call and what must have come of it.
type check struct {
	name string
	call toolCall
	// reason is what the model must be told; "" if the call is allowed. anyReason stands
	// for a denial whose words are the CLI's own.
	reason string
	// left is a file that there must be if, and only if, the call was allowed.
	left string
	// changed is the file that must hold "gamma" if, and only if, it was allowed.
	changed string
	// shown is a text that must reach the model if, and only if, it was allowed.
	shown string
}

// anyReason is a reason that holds for every text.
const anyReason = " "

func checks(w *world) []check {
	cli := w.cli
	return []check{
		{name: "shell denied", call: cli.Shell("mkdir denied-shell"), reason: "e2e-no-directories", left: "denied-shell"},
		{name: "shell allowed", call: cli.Shell("touch allowed-shell"), left: "allowed-shell"},
		{
			name: "compound shell with a denied part", call: cli.Shell("cd . && touch compound-shell; mkdir denied-part | cat"),
			reason: "e2e-no-directories", left: "compound-shell",
		},
		{
			name: "compound shell allowed", call: cli.Shell("cd . && touch allowed-compound; echo done | cat"),
			left: "allowed-compound",
		},
		{name: "write denied", call: cli.Write(w.in("locked-new.txt"), "x\n"), reason: "e2e-locked-file", left: "locked-new.txt"},
		{name: "write allowed", call: cli.Write(w.in("allowed-new.txt"), "x\n"), left: "allowed-new.txt"},
		{name: "read for edit", call: cli.Read(w.in("edit.txt")), shown: "alpha"},
		{name: "edit allowed", call: cli.Edit(w.in("edit.txt"), "beta", "gamma"), changed: "edit.txt"},
		{name: "edit denied", call: cli.Edit(w.in("locked.txt"), "beta", "gamma"), reason: "e2e-locked-file", changed: "locked.txt"},
		{name: "read denied", call: cli.Read(w.in("secret.env")), reason: "e2e-secret-file", shown: "e2e-secret-content"},
		{name: "read allowed", call: cli.Read(w.in("open.txt")), shown: openText},
		{name: "secret read by shell", call: cli.Shell("cat secret.env"), reason: "e2e-secret-file", shown: "e2e-secret-content"},
		{name: "asked where nobody sits", call: cli.Shell("ln -s open.txt asked"), reason: anyReason, left: "asked"},
		{
			name: "agent cannot switch the hook off", call: cli.Write(w.in(switchFile(w)), "{}\n"),
			reason: anyReason, left: switchFile(w),
		},
		{
			name: "nor by shell", call: cli.Shell("echo {} > " + otherSwitchFile(w)),
			reason: anyReason, left: otherSwitchFile(w),
		},
		{name: "MCP denied", call: cli.MCP("wipe"), reason: "e2e-no-wipe", left: "mcp-wipe"},
		{name: "MCP allowed", call: cli.MCP("put"), left: "mcp-put"},
	}
}

// switchFile is a file of the repository that could switch the hook off. Where there is
// none, it is one that could give another CLI's hook away.
func switchFile(w *world) string {
	return switchFiles(w)[0]
}

// otherSwitchFile is another one, if there is another.
func otherSwitchFile(w *world) string {
	files := switchFiles(w)
	return files[len(files)-1]
}

func switchFiles(w *world) []string {
	h, _ := harness.Find(w.cli.Name())
	var files []string
	for _, s := range h.Info().RepoOff {
		if settingText(s) != "" && filepath.Base(s.File) != ".env" { // that is anybody's to write, and counts for the next run only
			files = append(files, s.File)
		}
	}
	if files == nil {
		return []string{".claude/settings.json"}
	}
	return files
}

// pair is the calls that are made at the same time.
func pair(w *world) []check {
	return []check{
		{name: "parallel allowed", call: w.cli.Shell("touch allowed-parallel"), left: "allowed-parallel"},
		{name: "parallel denied", call: w.cli.Shell("mkdir denied-parallel"), reason: "e2e-no-directories", left: "denied-parallel"},
	}
}

// nested is the calls of a sub-agent.
func nested(w *world) []check {
	return []check{
		{name: "sub-agent denied", call: w.cli.Shell("mkdir denied-sub"), reason: "e2e-no-directories", left: "denied-sub"},
		{name: "sub-agent allowed", call: w.cli.Shell("touch allowed-sub"), left: "allowed-sub"},
	}
}

// decisions lets the real hook decide about one script with every kind of call.
func decisions(t *testing.T, cli driver) {
	t.Helper()
	w := newWorld(t, cli, func(w *world) script {
		var turns []turn
		for _, c := range checks(w) {
			turns = append(turns, turn{Calls: []toolCall{c.call}})
		}
		var both turn
		for _, c := range pair(w) {
			both.Calls = append(both.Calls, c.call)
		}
		turns = append(append(turns, both), cli.Agent(subMarker+" do it")...)
		var inner []turn
		for _, c := range nested(w) {
			inner = append(inner, turn{Calls: []toolCall{c.call}})
		}
		return script{mainMarker: turns, subMarker: append(inner, cli.AgentEnd())}
	})
	cli.Configure(w)
	w.install()
	// Else a call would fail by itself that is to be denied.
	w.mkdir(filepath.Dir(w.in(switchFile(w))))
	w.mkdir(filepath.Dir(w.in(otherSwitchFile(w))))
	end := w.run()
	if end.timedOut {
		t.Errorf("the run did not end within %s", runLimit)
	}
	t.Logf("the run took %s", end.took.Round(time.Millisecond))
	all := checks(w)
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) { w.verify(t, c, place{mainMarker, i, 0}) })
	}
	for i, c := range pair(w) {
		t.Run(c.name, func(t *testing.T) { w.verify(t, c, place{mainMarker, len(all), i}) })
	}
	for i, c := range nested(w) {
		t.Run(c.name, func(t *testing.T) { w.verify(t, c, place{subMarker, i, 0}) })
	}
}

// verify looks at the disk and at what the model was sent.
func (w *world) verify(t *testing.T, c check, at place) {
	t.Helper()
	result, answered := w.model.result(at)
	if !answered {
		t.Fatal("the model was sent no result")
	}
	allowed := c.reason == ""
	if !allowed && !strings.Contains(result, c.reason) {
		t.Errorf("the model saw %q; want the reason %q", result, c.reason)
	}
	if c.left != "" && w.exists(c.left) != allowed {
		t.Errorf("%s exists: %t, want %t; the model saw %q", c.left, !allowed, allowed, result)
	}
	if c.changed != "" && strings.Contains(w.text(c.changed), "gamma") != allowed {
		t.Errorf("%s changed: %t, want %t; the model saw %q", c.changed, !allowed, allowed, result)
	}
	if c.shown != "" && strings.Contains(result, c.shown) != allowed {
		t.Errorf("the model saw %q; %q in it: want %t", result, c.shown, allowed)
	}
}

// agentID finds the id of a sub-agent in a result.
var agentID = regexp.MustCompile(`"agent_id":\s*"([^"]+)"`)

// relative is the path of a file of the workspace from there, for a tool that takes no
// other.
func relative(path string) string {
	_, inside, _ := strings.Cut(path, "/workspace/")
	return inside
}
