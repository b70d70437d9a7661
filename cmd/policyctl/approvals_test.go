package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/ancestry"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/local"
)

// office is a machine with a store, a project and a person.
type office struct {
	t       *testing.T
	home    string
	project string
	gate    *gate.Gate
	session *gate.Session
	human   human

	mu    sync.Mutex
	clock time.Time
	live  bool // the clock runs
}

const officePolicy = `policy "gate_bash" {
  match  = { operation = "bash" }
  action = "ask"
  reason = "A person looks at commands."
}
`

const officeCatalog = `{"providers": {"": {"operations": {
	"bash": {"kind": "resource", "risk": "high", "description": "Run a command.",
		"input_schema": {"type": "object", "required": ["command"], "properties": {"command": {"type": "string"}, "pin": {"type": "string", "sensitive": true}}},
		"roles": {"command": ["/command"], "path": [], "url": [], "cwd": []}, "shell": "bash"}}}}}`

func newOffice(t *testing.T, policy string) *office {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := &office{
		t: t, home: filepath.Join(root, "home"), project: filepath.Join(root, "project"),
		clock: time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC),
		human: human{
			look:     func() (ancestry.Sign, error) { return ancestry.Sign{}, nil },
			terminal: func() (*terminal, error) { return nil, errors.New("standard input is no terminal") },
		},
	}
	for _, dir := range []string{o.home, o.project} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	o.write("agent.hcl", policy)
	o.write("catalog.json", officeCatalog)
	t.Chdir(o.project)
	places := layers.DefaultPlaces(o.getenv)
	if _, err := layers.TrustFile(places, filepath.Join(o.project, "agent.hcl")); err != nil {
		t.Fatal(err)
	}
	opened, err := local.Open(context.Background(), local.Options{
		Load:  layers.Options{Dir: o.project, Places: places, Catalogs: []string{"catalog.json"}},
		Clock: o.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	o.gate = opened.Gate
	if o.session, err = o.gate.Open(context.Background(), "s1"); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *office) write(name, text string) {
	o.t.Helper()
	if err := os.WriteFile(filepath.Join(o.project, name), []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
}

func (o *office) getenv(name string) string {
	if name == "HOME" {
		return o.home
	}
	return ""
}

func (o *office) now() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.live {
		return time.Now()
	}
	return o.clock
}

func (o *office) pass(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clock = o.clock.Add(d)
}

// ask plans commands as one turn and returns the items, in that order.
func (o *office) ask(turn string, commands ...string) []gate.Item {
	o.t.Helper()
	var calls []plangate.Call
	for i, command := range commands {
		input, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			o.t.Fatal(err)
		}
		calls = append(calls, plangate.Call{ID: fmt.Sprintf("%s-%d", turn, i), Operation: "bash", Input: input, Cwd: o.project, Workspace: o.project})
	}
	return o.plan(turn, calls...)
}

func (o *office) plan(turn string, calls ...plangate.Call) []gate.Item {
	o.t.Helper()
	plan, err := o.session.Plan(context.Background(), turn, calls)
	if err != nil {
		o.t.Fatal(err)
	}
	return plan.Items
}

func (o *office) item(id string) gate.Item {
	o.t.Helper()
	item, err := o.gate.Item(context.Background(), id)
	if err != nil {
		o.t.Fatal(err)
	}
	return item
}

// allow answers a call as somebody else.
func (o *office) allow(item gate.Item, actor string) {
	o.t.Helper()
	_, err := o.gate.Resolve(context.Background(), item.ID, gate.Verdict{Decision: plangate.Allow, Digest: item.Digest, Actor: actor})
	if err != nil {
		o.t.Fatal(err)
	}
}

// run runs policyctl approvals and returns its exit code and what it printed.
func (o *office) run(args ...string) (code int, out, errs string) {
	o.t.Helper()
	var stdout, stderr bytes.Buffer
	w := &world{stdin: new(bytes.Buffer), stdout: bufio.NewWriter(&stdout), stderr: &stderr, getenv: o.getenv, now: o.now}
	code = o.runIn(w, args...)
	return code, stdout.String(), stderr.String()
}

func (o *office) runIn(w *world, args ...string) int {
	cmd := newApprovalsOf(w, o.human)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(w.stdout)
	cmd.SetErr(w.stderr)
	for _, sub := range cmd.Commands() {
		if sub.Flags().Lookup("catalog") != nil && len(args) > 0 && sub.Name() == args[0] {
			args = append(args, "--catalog", "catalog.json")
		}
	}
	cmd.SetArgs(args)
	return w.finish(cmd.ExecuteC())
}

// token makes a token and returns its file.
func (o *office) token() string {
	o.t.Helper()
	name := filepath.Join(o.home, "token")
	kept, err := tokenPlace(&world{getenv: o.getenv})
	if err == nil {
		err = errors.Join(writeNew(name, "secret\n"), keepToken(kept, "secret"))
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return name
}

// answer answers with a token, where there is no terminal.
func (o *office) answer(verb string, item gate.Item, more ...string) (code int, out, errs string) {
	o.t.Helper()
	name := filepath.Join(o.home, "token")
	if _, err := os.Stat(name); err != nil {
		name = o.token()
	}
	args := []string{verb, item.ID, "--digest", item.Digest, "--token-file", name, "--actor", "ann@desk"}
	return o.run(append(args, more...)...)
}
