//go:build unix

package load

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/layers"
)

// machine is a place for all layers below one temporary directory.
type machine struct {
	t      *testing.T
	root   string
	places layers.Places
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, root: root}
	m.places = layers.Places{
		Managed: m.path("etc/agent.hcl"),
		User:    m.path("config/agent.hcl"),
		Trust:   m.path("state/trust.json"),
		Cache:   m.path("cache/tables"),
	}
	m.mkdir("work/sub")
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.root, name) }

func (m *machine) mkdir(name string) string {
	m.t.Helper()
	m.check(os.MkdirAll(m.path(name), 0o755))
	return m.path(name)
}

// write writes a file with mode 0644, whatever the umask.
func (m *machine) write(name, content string) string {
	m.t.Helper()
	m.mkdir(filepath.Dir(name))
	m.check(os.WriteFile(m.path(name), []byte(content), 0o644))
	m.check(os.Chmod(m.path(name), 0o644))
	return m.path(name)
}

func (m *machine) read(path string) string {
	m.t.Helper()
	content, err := os.ReadFile(path)
	m.check(err)
	return string(content)
}

func (m *machine) link(target, name string) {
	m.t.Helper()
	m.mkdir(filepath.Dir(name))
	m.check(os.Symlink(target, m.path(name)))
}

func (m *machine) trust(name string) {
	m.t.Helper()
	_, err := layers.TrustFile(m.places, m.path(name))
	m.check(err)
}

func (m *machine) check(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// options are those of a call made in work/sub.
func (m *machine) options() layers.Options {
	return layers.Options{Dir: m.path("work/sub"), Places: m.places, Now: noon, Version: "1"}
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// codes returns the codes of diagnostics in their order.
func codes(diags plangate.Diagnostics) []string {
	list := []string{}
	for _, diag := range diags {
		list = append(list, diag.Code)
	}
	return list
}

// place is an eval.Layer with its file below the machine's root.
func (m *machine) place(layer plangate.Layer, name string, status eval.LayerStatus) eval.Layer {
	return eval.Layer{Layer: layer, File: m.path(name), Status: status}
}

func policy(name, operation, action string) string {
	return "policy \"" + name + "\" {\n  match  = { operation = \"" + operation +
		"\" }\n  action = \"" + action + "\"\n}\n"
}

func call(operation string) plangate.Call {
	return plangate.Call{Kind: plangate.Resource, Provider: "files", Operation: operation, Risk: plangate.Low, Time: noon}
}

// decide returns what the table of a fresh call says, and by which block.
func decide(opts layers.Options, operation string) string {
	table, _, _ := Table(opts)
	decision := table.Decide(call(operation))
	return decision.Action().String() + " " + decision.DecidedBy()
}
