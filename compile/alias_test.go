package compile_test

import (
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/dsl"
)

const aliasCatalog = `{"providers":{
  "cli": {"operations":{
    "bash":       {"kind":"resource","risk":"high","aliases":["Bash"]},
    "write_file": {"kind":"resource","risk":"moderate","aliases":["Write"]},
    "edit_file":  {"kind":"resource","risk":"moderate","aliases":["Write"]}}},
  "other": {"operations":{"Read":{"kind":"data_source","risk":"read_only"},"read_file":{"kind":"data_source","risk":"read_only","aliases":["Read"]}}}}}`

// TestAliases (CAT-9): a policy, deny_tools and allowed_tools may name an operation by an
// alias; a name that is itself an operation is no alias; case counts.
func TestAliases(t *testing.T) {
	known, diags := catalog.Parse("c.json", []byte(aliasCatalog))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for _, test := range []struct{ name, policy, profile, operation, want string }{
		{"match", `policy "p" {
  match  = { operation = "Bash" }
  action = "deny"
}`, "", "bash", "policy:p"},
		{"the name as written", `policy "p" {
  match  = { operation = "Bash" }
  action = "deny"
}`, "", "Bash", "policy:p"},
		{"case", `policy "p" {
  match  = { operation = "BASH" }
  action = "deny"
}`, "", "bash", "default:resource"},
		{"of two operations", `policy "p" {
  match  = { operation = "Write" }
  action = "deny"
}`, "", "edit_file", "policy:p"},
		{"an operation of the catalog", `policy "p" {
  match  = { operation = "Read" }
  action = "deny"
}`, "", "read_file", "default:resource"},
		{"deny_tools", `agent_profile "w" {
  deny_tools = ["Bash"]
}`, "w", "bash", "deny_tools"},
		{"allowed_tools", `agent_profile "w" {
  allowed_tools = ["Write"]
}`, "w", "write_file", "allowed_tools"},
		{"not in allowed_tools", `agent_profile "w" {
  allowed_tools = ["Write"]
}`, "w", "bash", "allowed_tools"},
	} {
		file, diags := dsl.Parse("agent.hcl", []byte(test.policy))
		table, diags := compile.Compile(compile.Input{
			Layers:  []compile.LayerFile{{Layer: plangate.LayerProject, File: file, Trusted: true}},
			Catalog: known, Findings: diags,
		})
		if diags.HasErrors() {
			t.Fatalf("%s: %v", test.name, diags)
		}
		got := table.Decide(plangate.Call{Provider: "cli", Operation: test.operation, Kind: plangate.Resource, Profile: test.profile})
		if got.DecidedBy() != test.want {
			t.Errorf("%s: %s by %s, want %s", test.name, got.Action(), got.DecidedBy(), test.want)
		}
	}
}

// TestAliasNarrows (k7, CAT-9): an inner allowlist may spell what the outer one has
// either way, and nothing more.
func TestAliasNarrows(t *testing.T) {
	known, _ := catalog.Parse("c.json", []byte(aliasCatalog))
	for _, test := range []struct {
		outer, inner string
		widens       bool
	}{
		{`"Bash"`, `"bash"`, false}, {`"bash"`, `"Bash"`, false}, {`"write_file"`, `"Write"`, true},
		{`"write_file", "edit_file"`, `"Write"`, false}, {`"Write"`, `"edit_file"`, false},
	} {
		outer, _ := dsl.Parse("user.hcl", []byte("agent_profile \"w\" {\n  allowed_tools = ["+test.outer+"]\n}\n"))
		inner, _ := dsl.Parse("agent.hcl", []byte("agent_profile \"w\" {\n  allowed_tools = ["+test.inner+"]\n}\n"))
		_, diags := compile.Compile(compile.Input{
			Layers: []compile.LayerFile{
				{Layer: plangate.LayerUser, File: outer, Trusted: true}, {Layer: plangate.LayerProject, File: inner, Trusted: true},
			},
			Catalog: known,
		})
		if diags.HasErrors() != test.widens {
			t.Errorf("%s inside %s: %v", test.inner, test.outer, diags)
		}
	}
}
