package writeback

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
)

// now is when everything happens.
var now = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

const catalogText = `{"providers": {"host": {"operations": {
  "bash": {"kind": "resource", "risk": "high", "roles": {"command": ["/command"], "cwd": ["/cwd"]}},
  "write_file": {"kind": "resource", "risk": "moderate", "roles": {"path": ["/path"]}},
  "move": {"kind": "resource", "risk": "moderate", "roles": {"path": ["/from", "/to"]}},
  "fetch": {"kind": "resource", "risk": "low", "roles": {"url": ["/url"]}},
  "deploy": {"kind": "resource", "risk": "critical", "roles": {}},
  "rollback": {"kind": "resource", "risk": "critical", "roles": {}}
}}}}`

// place is a project with its user's files, all below one temporary directory.
type place struct {
	t   testing.TB
	dir string
}

func newPlace(t testing.TB) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t, dir}
	for _, sub := range []string{"project", "state", "config"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.put("catalog.json", catalogText)
	return p
}

func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

func (p *place) put(name, content string) string {
	p.t.Helper()
	path := p.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *place) get(name string) string {
	p.t.Helper()
	content, err := os.ReadFile(p.path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(content)
}

const project = "project/agent.hcl"

// project writes the project's policy and trusts it.
func (p *place) project(content string) {
	p.t.Helper()
	if _, err := layers.TrustFile(p.options().Places, p.put(project, content)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) options() layers.Options {
	return layers.Options{
		Dir: p.path("project"), Catalogs: []string{p.path("catalog.json")}, Now: now,
		Places: layers.Places{User: p.path("config/agent.hcl"), Trust: p.path("state/trust.json")},
	}
}

func (p *place) target() Target { return Target{Options: p.options(), State: p.path("state")} }

func (p *place) request(action plangate.Action, call plangate.Call) Request {
	call.Workspace, call.Cwd = p.path("project"), p.path("project")
	call.Home = p.dir
	return Request{Target: p.target(), Call: call, Action: action, Actor: "alice", Time: now}
}

func bash(command string) plangate.Call { return withInput("bash", "command", command) }

func withInput(operation, key, value string) plangate.Call {
	return plangate.Call{
		Provider: "host", Operation: operation, Kind: plangate.Resource,
		Input: []byte(`{` + quoteJSON(key) + `:` + quoteJSON(value) + `}`),
	}
}

// decide answers in a process that knows nothing of the change but the files.
func (p *place) decide(call plangate.Call) plangate.Decision {
	p.t.Helper()
	call = p.request(plangate.Allow, call).Call
	call.Time = now
	table, diags, _ := load.Table(p.options())
	if diags.HasErrors() {
		p.t.Fatal(diags)
	}
	return table.Decide(call)
}

func (p *place) wants(call plangate.Call, want plangate.Action) {
	p.t.Helper()
	if got := p.decide(call); got.Action() != want {
		p.t.Errorf("%s %s: %s by %s, want %s", call.Operation, call.Input, got.Action(), got.DecidedBy(), want)
	}
}

func (p *place) write(action plangate.Action, call plangate.Call) *Change {
	p.t.Helper()
	change, err := Write(context.Background(), p.request(action, call))
	if err != nil {
		p.t.Fatal(err)
	}
	return change
}

// refused wants an error of a code, and that no byte changed.
func (p *place) refused(req Request, want *Error) error {
	p.t.Helper()
	read := func() (content []byte) {
		if info, err := os.Stat(p.path(project)); err == nil && info.Mode().IsRegular() { // a pipe would make us wait
			content, _ = os.ReadFile(p.path(project))
		}
		return content
	}
	before := read()
	for name, do := range map[string]func(context.Context, Request) (*Change, error){"Preview": Preview, "Write": Write} {
		change, err := do(context.Background(), req)
		if !errors.Is(err, want) {
			p.t.Fatalf("%s: error %v, want code %s (%+v)", name, err, want.Code(), change)
		}
	}
	if after := read(); string(after) != string(before) {
		p.t.Errorf("the file changed:\n%s", after)
	}
	_, err := Preview(context.Background(), req)
	return err
}

func (p *place) undo() (*Change, error) {
	return Undo(context.Background(), UndoRequest{Target: p.target()})
}

const asks = "policy \"asks\" {\n  match  = { operation = \"bash\" }\n  action = \"ask\"\n}\n"

func quoteJSON(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}
