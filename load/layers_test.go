//go:build unix

package load

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

const (
	managed = plangate.LayerManaged
	user    = plangate.LayerUser
	project = plangate.LayerProject
)

func TestLayers(t *testing.T) {
	deny, allow := policy("p", "write", "deny"), policy("p", "write", "allow")
	tests := []struct {
		name   string
		set    func(*machine)
		change func(*machine, *Options)
		want   func(*machine) []eval.Layer
		codes  []string
		decide string
	}{
		{
			name: "nothing anywhere",
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{
					m.place(managed, "etc/agent.hcl", eval.LayerAbsent),
					m.place(user, "config/agent.hcl", eval.LayerAbsent),
					m.place(project, "work/sub/agent.hcl", eval.LayerAbsent),
				}
			},
			decide: "ask default:resource",
		},
		{
			name: "all layers, trusted project above",
			set: func(m *machine) {
				m.write("etc/agent.hcl", policy("m", "write", "deny"))
				m.write("config/agent.hcl", policy("u", "write", "ask"))
				m.write("work/agent.hcl", allow)
				m.trust("work/agent.hcl")
			},
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{
					m.place(managed, "etc/agent.hcl", eval.LayerLoaded),
					m.place(user, "config/agent.hcl", eval.LayerLoaded),
					m.place(project, "work/agent.hcl", eval.LayerLoaded),
				}
			},
			decide: "allow policy:p",
		},
		{
			name: "nearest project wins",
			set: func(m *machine) {
				m.write("work/agent.hcl", allow)
				m.write("work/sub/agent.hcl", deny)
				m.trust("work/agent.hcl")
				m.trust("work/sub/agent.hcl")
			},
			change: onlyProject,
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{m.place(project, "work/sub/agent.hcl", eval.LayerLoaded)}
			},
			decide: "deny policy:p",
		},
		{
			name: "project in JSON",
			set: func(m *machine) {
				m.write("work/agent.hcl.json", `{"policy":{"p":{"match":{"operation":"write"},"action":"allow"}}}`)
				m.trust("work/agent.hcl.json")
			},
			change: onlyProject,
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{m.place(project, "work/agent.hcl.json", eval.LayerLoaded)}
			},
			decide: "allow policy:p",
		},
		{
			name:   "untrusted project",
			set:    func(m *machine) { m.write("work/agent.hcl", allow) },
			change: onlyProject,
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{m.place(project, "work/agent.hcl", eval.LayerUntrusted)}
			},
			codes:  []string{"untrusted_layer"},
			decide: "ask default:resource",
		},
		{
			name: "untrusted project tightens",
			set: func(m *machine) {
				m.write("config/agent.hcl", allow)
				m.write("work/agent.hcl", deny)
			},
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{
					m.place(managed, "etc/agent.hcl", eval.LayerAbsent),
					m.place(user, "config/agent.hcl", eval.LayerLoaded),
					m.place(project, "work/agent.hcl", eval.LayerUntrusted),
				}
			},
			codes:  []string{"untrusted_layer"},
			decide: "deny policy:p",
		},
		{
			name: "two forms of a project",
			set: func(m *machine) {
				m.write("work/agent.hcl", allow)
				m.write("work/agent.hcl.json", "{}")
			},
			change: onlyProject,
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{m.place(project, "work/agent.hcl", LayerUnreadable)}
			},
			codes:  []string{"two_forms"},
			decide: "deny builtin:policy_error",
		},
		{
			name: "two forms of a user",
			set: func(m *machine) {
				m.write("config/agent.hcl", allow)
				m.write("config/agent.hcl.json", "{}")
			},
			change: func(_ *machine, o *Options) { o.Layers = []plangate.Layer{user} },
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{m.place(user, "config/agent.hcl", LayerUnreadable)}
			},
			codes:  []string{"two_forms"},
			decide: "deny builtin:policy_error",
		},
		{
			name: "project that is the user's file counts once",
			set: func(m *machine) {
				m.write("config/agent.hcl", allow)
				m.link(m.path("config/agent.hcl"), "work/agent.hcl")
			},
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{
					m.place(managed, "etc/agent.hcl", eval.LayerAbsent),
					m.place(user, "config/agent.hcl", eval.LayerLoaded),
				}
			},
			decide: "allow policy:p",
		},
		{
			name:   "directory inside the user's configuration",
			set:    func(m *machine) { m.write("config/agent.hcl", allow) },
			change: func(m *machine, o *Options) { o.Dir = m.path("config") },
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{
					m.place(managed, "etc/agent.hcl", eval.LayerAbsent),
					m.place(user, "config/agent.hcl", eval.LayerLoaded),
				}
			},
			decide: "allow policy:p",
		},
		{
			name: "user and managed are one file",
			set: func(m *machine) {
				m.write("etc/agent.hcl", deny)
				m.link(m.path("etc/agent.hcl"), "config/agent.hcl")
			},
			change: func(_ *machine, o *Options) { o.Layers = []plangate.Layer{managed, user} },
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{m.place(managed, "etc/agent.hcl", eval.LayerLoaded)}
			},
			decide: "deny policy:p",
		},
		{
			name:   "no layers wanted",
			set:    func(m *machine) { m.write("etc/agent.hcl", deny) },
			change: func(_ *machine, o *Options) { o.Layers = []plangate.Layer{} },
			want:   func(*machine) []eval.Layer { return nil },
			decide: "ask default:resource",
		},
		{
			name: "no places",
			set:  func(m *machine) { m.write("etc/agent.hcl", deny) },
			change: func(_ *machine, o *Options) {
				o.Places, o.Layers = Places{}, []plangate.Layer{managed, user}
			},
			want:   func(*machine) []eval.Layer { return nil },
			decide: "ask default:resource",
		},
		{
			name: "files are trusted and stand alone",
			set: func(m *machine) {
				m.write("etc/agent.hcl", deny)
				m.write("my.hcl", allow)
			},
			change: func(m *machine, o *Options) {
				o.Files, o.Dir = []string{m.path("my.hcl"), m.path("my.hcl")}, ""
			},
			want:   func(m *machine) []eval.Layer { return []eval.Layer{m.place(project, "my.hcl", eval.LayerLoaded)} },
			decide: "allow policy:p",
		},
		{
			name: "through a linked directory",
			set: func(m *machine) {
				m.write("work/agent.hcl", allow)
				m.trust("work/agent.hcl")
				m.link(m.path("work/sub"), "elsewhere/link")
				m.write("elsewhere/agent.hcl", deny)
			},
			change: func(m *machine, o *Options) {
				onlyProject(m, o)
				o.Dir = m.path("elsewhere/link")
			},
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{m.place(project, "work/agent.hcl", eval.LayerLoaded)}
			},
			decide: "allow policy:p",
		},
		{
			name: "a link to a trusted file of another project is not trusted",
			set: func(m *machine) {
				m.write("other/agent.hcl", allow)
				m.trust("other/agent.hcl")
				m.link(m.path("other/agent.hcl"), "work/agent.hcl")
			},
			change: onlyProject,
			want: func(m *machine) []eval.Layer {
				return []eval.Layer{m.place(project, "work/agent.hcl", eval.LayerUntrusted)}
			},
			codes:  []string{"untrusted_layer"},
			decide: "ask default:resource",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t)
			if test.set != nil {
				test.set(m)
			}
			opts := m.options()
			if test.change != nil {
				test.change(m, &opts)
			}
			got := Open(opts)
			if diff := cmp.Diff(test.want(m), got.Layers); diff != "" {
				t.Errorf("layers: %s", diff)
			}
			if diff := cmp.Diff(append([]string{}, test.codes...), fileCodes(got.Diagnostics)); diff != "" {
				t.Errorf("diagnostics: %s", diff)
			}
			for _, round := range []string{"first", "cached"} {
				if got := decide(opts, "write"); got != test.decide {
					t.Errorf("%s: got %q, want %q", round, got, test.decide)
				}
			}
		})
	}
}

func onlyProject(_ *machine, opts *Options) { opts.Layers = []plangate.Layer{project} }

// fileCodes returns the codes of findings about files as such.
func fileCodes(diags plangate.Diagnostics) []string {
	ours := []string{"file_unreadable", "file_permissions", "two_forms", "untrusted_layer", "trust_unreadable"}
	return slices.DeleteFunc(codes(diags), func(code string) bool { return !slices.Contains(ours, code) })
}

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
	places := map[string]func(*machine, *Options, string){
		"etc/agent.hcl":      func(*machine, *Options, string) {},
		"config/agent.hcl":   func(*machine, *Options, string) {},
		"work/sub/agent.hcl": func(*machine, *Options, string) {},
		"work/agent.hcl":     func(*machine, *Options, string) {},
		"given.hcl":          func(m *machine, o *Options, name string) { o.Files = []string{m.path(name)} },
		"catalog.json":       func(m *machine, o *Options, name string) { o.Catalogs = []string{m.path(name)} },
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
func assertDenied(t *testing.T, opts Options, code, file string) {
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
		if decision.Action != plangate.Deny || decision.Rule != want || decision.Reason == "" {
			t.Errorf("got %+v", decision)
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
	if os.Geteuid() == 0 {
		t.Skip("the superuser can search everything")
	}
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
	m.check(os.Truncate(name, maxFileBytes*4))
	policy := Open(m.options())
	if !policy.Diagnostics.HasErrors() || len(policy.Sources[name]) != maxFileBytes+1 {
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
		if !diags.HasErrors() || decision.DecidedBy != "builtin:policy_error" || decision.Rule.File != m.path(broken) ||
			decision.Rule.Line != 3 {
			t.Errorf("%s: %v, %+v", broken, codes(diags), decision)
		}
		policy := Open(m.options())
		if len(policy.Sources) != 3 || policy.Table.Decide(call("write")).Action != plangate.Deny {
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
