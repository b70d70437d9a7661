//go:build unix

package load

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/layers"
)

// Whatever stands in the place of a file and cannot be read makes every call a
// deny (LAY-3), in every layer, and reading it ends.
func TestUnreadable(t *testing.T) {
	obstacles := map[string]func(*machine, string){
		"directory":     func(m *machine, name string) { m.mkdir(name) },
		"dangling link": func(m *machine, name string) { m.link("nowhere", name) },
		"link loop":     func(m *machine, name string) { m.link(filepath.Base(name), name) },
		"pipe":          func(m *machine, name string) { m.check(syscall.Mkfifo(m.path(name), 0o644)) },
		"device":        func(m *machine, name string) { m.link("/dev/zero", name) },
		"unreadable": func(m *machine, name string) {
			if os.Geteuid() == 0 {
				m.t.Skip("the superuser can read everything")
			}
			m.check(os.Chmod(m.write(name, ""), 0))
		},
	}
	places := map[string]func(*machine, *layers.Options, string){
		"etc/agent.hcl":      func(*machine, *layers.Options, string) {},
		"config/agent.hcl":   func(*machine, *layers.Options, string) {},
		"work/sub/agent.hcl": func(*machine, *layers.Options, string) {},
		"work/agent.hcl":     func(*machine, *layers.Options, string) {},
		"given.hcl":          func(m *machine, o *layers.Options, name string) { o.Files = []string{m.path(name)} },
		"catalog.json":       func(m *machine, o *layers.Options, name string) { o.Catalogs = []string{m.path(name)} },
	}
	for obstacle, put := range obstacles {
		for name, prepare := range places {
			t.Run(obstacle+" at "+name, func(t *testing.T) {
				m := newMachine(t)
				opts := m.options()
				m.mkdir(filepath.Dir(name))
				put(m, name)
				prepare(m, &opts, name)
				assertDenied(t, opts, "file_unreadable", m.path(name))
			})
		}
	}
	for _, name := range []string{"given.hcl", "catalog.json"} {
		t.Run("absent "+name, func(t *testing.T) {
			m := newMachine(t)
			opts := m.options()
			places[name](m, &opts, name)
			assertDenied(t, opts, "file_unreadable", m.path(name))
		})
	}
}

// assertDenied wants one error of a file, and a table that denies even reads.
func assertDenied(t *testing.T, opts layers.Options, code, file string) {
	t.Helper()
	table, diags, _ := Table(opts)
	if diff := cmp.Diff([]string{code}, fileCodes(diags)); diff != "" {
		t.Error(diff)
	}
	if len(diags) > 0 && diags[0].Range.File != file {
		t.Errorf("file is %q, want %q", diags[0].Range.File, file)
	}
	read := plangate.Call{Kind: plangate.DataSource, Operation: "read"}
	for _, table := range []*eval.Table{table, Open(opts).Table} {
		decision := table.Decide(read)
		want := plangate.Rule{Type: plangate.RuleBuiltin, Name: "policy_error", File: file}
		if decision.Action() != plangate.Deny || decision.Rule() != want || decision.Reason() == "" {
			t.Errorf("got %+v", decision.Outcome())
		}
	}
}

// A layer must not disappear because its directory may not be searched; it is
// absent if there can be no such file.
func TestNoDirectory(t *testing.T) {
	m := newMachine(t)
	m.write("etc", "")
	if got := decide(m.options(), "write"); got != "ask default:resource" {
		t.Error(got)
	}
	m.link("config", "config")
	assertDenied(t, m.options(), "file_unreadable", m.path("config/agent.hcl"))
	if os.Geteuid() == 0 {
		t.Skip("the superuser can search everything")
	}
	m.check(os.Remove(m.path("config")))
	m.check(os.Chmod(m.mkdir("config"), 0))
	t.Cleanup(func() { _ = os.Chmod(m.path("config"), 0o700) })
	assertDenied(t, m.options(), "file_unreadable", m.path("config/agent.hcl"))
}

func TestBadDirectory(t *testing.T) {
	m := newMachine(t)
	for _, dir := range []string{"", "work", m.path("gone")} {
		opts := m.options()
		opts.Dir = dir
		assertDenied(t, opts, "file_unreadable", dir)
	}
}

func TestTooLarge(t *testing.T) {
	m := newMachine(t)
	name := m.write("config/agent.hcl", "")
	m.check(os.Truncate(name, layers.MaxBytes*4))
	policy := Open(m.options())
	if !policy.Diagnostics.HasErrors() || len(policy.Sources[name]) != layers.MaxBytes+1 {
		t.Errorf("read %d bytes, diagnostics %v", len(policy.Sources[name]), codes(policy.Diagnostics))
	}
}

// A file with an error takes the decisions of all others with it.
func TestBrokenFile(t *testing.T) {
	for _, broken := range []string{"etc/agent.hcl", "config/agent.hcl", "work/agent.hcl"} {
		m := newMachine(t)
		for _, name := range []string{"etc/agent.hcl", "config/agent.hcl", "work/agent.hcl"} {
			m.write(name, policy("p", "write", "allow"))
		}
		m.write(broken, "\npolicy \"p\" {\n  match = { toolname = \"x\" }\n  action = \"allow\"\n}\n")
		table, diags, _ := Table(m.options())
		decision := table.Decide(call("write"))
		if !diags.HasErrors() || decision.DecidedBy() != "builtin:policy_error" || decision.Rule().File != m.path(broken) ||
			decision.Rule().Line != 3 {
			t.Errorf("%s: %v, %+v", broken, codes(diags), decision.Outcome())
		}
		policy := Open(m.options())
		if len(policy.Sources) != 3 || policy.Table.Decide(call("write")).Action() != plangate.Deny {
			t.Errorf("%s: Open differs from Table", broken)
		}
	}
}

func TestPermissions(t *testing.T) {
	tests := []struct {
		name  string
		mode  os.FileMode
		owner int // -1: leave
		want  []string
	}{
		{"etc/agent.hcl", 0o644, -1, []string{}},
		{"etc/agent.hcl", 0o664, -1, []string{"file_permissions"}},
		{"etc/agent.hcl", 0o646, -1, []string{"file_permissions"}},
		{"config/agent.hcl", 0o600, -1, []string{}},
		{"config/agent.hcl", 0o620, -1, []string{"file_permissions"}},
		{"config/agent.hcl", 0o644, 65534, []string{"file_permissions"}},
		{"work/agent.hcl", 0o666, -1, []string{}},
	}
	for _, test := range tests {
		m := newMachine(t)
		name := m.write(test.name, policy("p", "write", "deny"))
		if strings.HasPrefix(test.name, "work/") {
			m.trust(test.name)
		}
		m.check(os.Chmod(name, test.mode))
		if test.owner >= 0 {
			if os.Geteuid() != 0 {
				continue
			}
			m.check(os.Chown(name, test.owner, -1))
		}
		_, diags, _ := Table(m.options())
		if diff := cmp.Diff(test.want, fileCodes(diags)); diff != "" || diags.HasErrors() {
			t.Errorf("%+v: %s", test, diff)
		}
		if got := decide(m.options(), "write"); got != "deny policy:p" {
			t.Errorf("%+v: %s", test, got)
		}
	}
}
