//go:build unix

package load

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/layers"
)

const (
	managed = plangate.LayerManaged
	user    = plangate.LayerUser
	project = plangate.LayerProject
)

// layerTest is a machine, options, and what comes of them.
type layerTest struct {
	name   string
	set    func(*machine)
	change func(*machine, *layers.Options)
	want   func(*machine) []eval.Layer
	codes  []string
	decide string
}

var denyWrite, allowWrite = policy("p", "write", "deny"), policy("p", "write", "allow")

var layerTests = []layerTest{
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
			m.write("work/agent.hcl", allowWrite)
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
			m.write("work/agent.hcl", allowWrite)
			m.write("work/sub/agent.hcl", denyWrite)
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
		set:    func(m *machine) { m.write("work/agent.hcl", allowWrite) },
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
			m.write("config/agent.hcl", allowWrite)
			m.write("work/agent.hcl", denyWrite)
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
			m.write("work/agent.hcl", allowWrite)
			m.write("work/agent.hcl.json", "{}")
		},
		change: onlyProject,
		want: func(m *machine) []eval.Layer {
			return []eval.Layer{m.place(project, "work/agent.hcl", layers.Unreadable)}
		},
		codes:  []string{"two_forms"},
		decide: "deny builtin:policy_error",
	},
	{
		name: "two forms of a user",
		set: func(m *machine) {
			m.write("config/agent.hcl", allowWrite)
			m.write("config/agent.hcl.json", "{}")
		},
		change: func(_ *machine, o *layers.Options) { o.Layers = []plangate.Layer{user} },
		want: func(m *machine) []eval.Layer {
			return []eval.Layer{m.place(user, "config/agent.hcl", layers.Unreadable)}
		},
		codes:  []string{"two_forms"},
		decide: "deny builtin:policy_error",
	},
	{
		name: "project that is the user's file counts once",
		set: func(m *machine) {
			m.write("config/agent.hcl", allowWrite)
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
		set:    func(m *machine) { m.write("config/agent.hcl", allowWrite) },
		change: func(m *machine, o *layers.Options) { o.Dir = m.path("config") },
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
			m.write("etc/agent.hcl", denyWrite)
			m.link(m.path("etc/agent.hcl"), "config/agent.hcl")
		},
		change: func(_ *machine, o *layers.Options) { o.Layers = []plangate.Layer{managed, user} },
		want: func(m *machine) []eval.Layer {
			return []eval.Layer{m.place(managed, "etc/agent.hcl", eval.LayerLoaded)}
		},
		decide: "deny policy:p",
	},
	{
		name:   "no layers wanted",
		set:    func(m *machine) { m.write("etc/agent.hcl", denyWrite) },
		change: func(_ *machine, o *layers.Options) { o.Layers = []plangate.Layer{} },
		want:   func(*machine) []eval.Layer { return nil },
		decide: "ask default:resource",
	},
	{
		name: "no places",
		set:  func(m *machine) { m.write("etc/agent.hcl", denyWrite) },
		change: func(_ *machine, o *layers.Options) {
			o.Places, o.Layers = layers.Places{}, []plangate.Layer{managed, user}
		},
		want: func(*machine) []eval.Layer {
			return []eval.Layer{{Layer: managed, Status: eval.LayerAbsent}, {Layer: user, Status: eval.LayerAbsent}}
		},
		decide: "ask default:resource",
	},
	{
		name: "files are trusted and stand alone",
		set: func(m *machine) {
			m.write("etc/agent.hcl", denyWrite)
			m.write("my.hcl", allowWrite)
		},
		change: func(m *machine, o *layers.Options) {
			o.Files, o.Dir = []string{m.path("my.hcl"), m.path("my.hcl")}, ""
		},
		want:   func(m *machine) []eval.Layer { return []eval.Layer{m.place(project, "my.hcl", eval.LayerLoaded)} },
		decide: "allow policy:p",
	},
	{
		name: "through a linked directory",
		set: func(m *machine) {
			m.write("work/agent.hcl", allowWrite)
			m.trust("work/agent.hcl")
			m.link(m.path("work/sub"), "elsewhere/link")
			m.write("elsewhere/agent.hcl", denyWrite)
		},
		change: func(m *machine, o *layers.Options) {
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
			m.write("other/agent.hcl", allowWrite)
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

func TestLayers(t *testing.T) {
	for _, test := range layerTests {
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

func onlyProject(_ *machine, opts *layers.Options) { opts.Layers = []plangate.Layer{project} }

// fileCodes returns the codes of findings about files as such.
func fileCodes(diags plangate.Diagnostics) []string {
	ours := []string{"file_unreadable", "file_permissions", "two_forms", "untrusted_layer", "trust_unreadable"}
	return slices.DeleteFunc(codes(diags), func(code string) bool { return !slices.Contains(ours, code) })
}
