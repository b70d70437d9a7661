//go:build unix

package load

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/layers"
)

const denyDrop = "guard \"g\" {\n  match  = { operation = \"drop\" }\n  action = \"deny\"\n}\n"

var projectTests = []struct {
	name        string
	set         func(*machine)
	want        func(*machine) []eval.Layer
	write, drop string
}{
	{
		name: "an untrusted file inside does not end the search",
		set: func(m *machine) {
			m.write("work/agent.hcl", allowWrite+denyDrop)
			m.trust("work/agent.hcl")
			m.write("work/sub/agent.hcl", policy("q", "drop", "allow"))
		},
		want: func(m *machine) []eval.Layer {
			return []eval.Layer{
				m.place(project, "work/agent.hcl", eval.LayerLoaded),
				m.place(project, "work/sub/agent.hcl", eval.LayerUntrusted),
			}
		},
		write: "allow policy:p", drop: "deny guard:g",
	},
	{
		name: "an untrusted file inside tightens",
		set: func(m *machine) {
			m.write("work/agent.hcl", allowWrite)
			m.trust("work/agent.hcl")
			m.write("work/sub/agent.hcl", denyDrop)
		},
		want: func(m *machine) []eval.Layer {
			return []eval.Layer{
				m.place(project, "work/agent.hcl", eval.LayerLoaded),
				m.place(project, "work/sub/agent.hcl", eval.LayerUntrusted),
			}
		},
		write: "allow policy:p", drop: "deny guard:g",
	},
	{
		name: "the first trusted file ends the search",
		set: func(m *machine) {
			m.write("agent.hcl", denyDrop)
			m.write("work/agent.hcl", allowWrite)
			m.trust("work/agent.hcl")
		},
		want: func(m *machine) []eval.Layer {
			return []eval.Layer{m.place(project, "work/agent.hcl", eval.LayerLoaded)}
		},
		write: "allow policy:p", drop: "ask default:resource",
	},
	{
		name: "all untrusted files count",
		set: func(m *machine) {
			m.write("work/agent.hcl", denyDrop)
			m.write("work/sub/agent.hcl", denyWrite)
		},
		want: func(m *machine) []eval.Layer {
			return []eval.Layer{
				m.place(project, "work/agent.hcl", eval.LayerUntrusted),
				m.place(project, "work/sub/agent.hcl", eval.LayerUntrusted),
			}
		},
		write: "deny policy:p", drop: "deny guard:g",
	},
	{
		name: "a link to an outer layer does not end the search",
		set: func(m *machine) {
			m.write("config/agent.hcl", "")
			m.write("work/agent.hcl", allowWrite+denyDrop)
			m.trust("work/agent.hcl")
			m.link(m.path("config/agent.hcl"), "work/sub/agent.hcl")
		},
		want: func(m *machine) []eval.Layer {
			return []eval.Layer{
				m.place(user, "config/agent.hcl", eval.LayerLoaded),
				m.place(project, "work/agent.hcl", eval.LayerLoaded),
			}
		},
		write: "allow policy:p", drop: "deny guard:g",
	},
	{
		name: "a link to the trusted file does not hide it",
		set: func(m *machine) {
			m.write("work/agent.hcl", allowWrite+denyDrop)
			m.trust("work/agent.hcl")
			m.link(m.path("work/agent.hcl"), "work/sub/agent.hcl")
		},
		want: func(m *machine) []eval.Layer {
			return []eval.Layer{m.place(project, "work/agent.hcl", eval.LayerLoaded)}
		},
		write: "allow policy:p", drop: "deny guard:g",
	},
	{
		name: "a broken file inside denies",
		set: func(m *machine) {
			m.write("work/agent.hcl", allowWrite)
			m.trust("work/agent.hcl")
			m.write("work/sub/agent.hcl", "policy {")
		},
		want: func(m *machine) []eval.Layer {
			return []eval.Layer{
				m.place(project, "work/agent.hcl", eval.LayerLoaded),
				m.place(project, "work/sub/agent.hcl", layers.Invalid),
			}
		},
		write: "deny builtin:policy_error", drop: "deny builtin:policy_error",
	},
}

func TestProjectFiles(t *testing.T) {
	for _, test := range projectTests {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t)
			test.set(m)
			opts := m.options()
			for _, round := range []string{"first", "cached"} {
				table, _, layers := Table(opts)
				if diff := cmp.Diff(test.want(m), present(layers)); diff != "" {
					t.Errorf("%s: layers: %s", round, diff)
				}
				if diff := cmp.Diff(test.want(m), present(table.Explain(call("write")).Layers)); diff != "" {
					t.Errorf("%s: layers of the trace: %s", round, diff)
				}
				if got := []string{decide(opts, "write"), decide(opts, "drop")}; got[0] != test.write || got[1] != test.drop {
					t.Errorf("%s: got %q, want %q and %q", round, got, test.write, test.drop)
				}
			}
		})
	}
}

// present leaves out the places without a file.
func present(layers []eval.Layer) []eval.Layer {
	var list []eval.Layer
	for _, layer := range layers {
		if layer.Status != eval.LayerAbsent {
			list = append(list, layer)
		}
	}
	return list
}
