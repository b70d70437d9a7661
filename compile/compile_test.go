package compile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// layer parses a policy text for a test.
func layer(t testing.TB, l plangate.Layer, trusted bool, text string) LayerFile {
	t.Helper()
	file, diags := dsl.Parse(l.String()+".hcl", []byte(text))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return LayerFile{Layer: l, File: file, Trusted: trusted}
}

func project(t testing.TB, text string) LayerFile {
	return layer(t, plangate.LayerProject, true, text)
}

// found lists findings as "code line".
func found(findings plangate.Diagnostics) []string {
	var out []string
	for _, d := range findings {
		out = append(out, fmt.Sprintf("%s %d", d.Code, d.Range.Start.Line))
	}
	return out
}

func TestFindings(t *testing.T) {
	for _, test := range []struct {
		name, policy string
		want         []string
	}{
		{"empty file", "", []string{"no_policy 1"}},
		{"empty match", `policy "a" {
  match = {}
  action = "allow"
}`, []string{"empty_match 2"}},
		{"identical", `policy "a" {
  match = { operation = "x" }
  action = "allow"
}
policy "b" {
  match = { operation = "x" }
  action = "deny"
}`, []string{"conflict 5"}},
		{"two empty", `policy "a" {
  match = {}
  action = "allow"
}
policy "b" {
  match = {}
  action = "allow"
}`, []string{"empty_match 2", "conflict 5", "empty_match 6"}},
		{"different values", `policy "a" {
  match = { operation = "x" }
  action = "allow"
}
policy "b" {
  match = { operation = "y" }
  action = "deny"
}`, nil},
		{"lists share a value", `policy "a" {
  match = { operation = ["x", "y"], risk = ["low", "high"] }
  action = "allow"
}
policy "b" {
  match = { operation = ["y", "z"], risk = "high" }
  action = "deny"
}`, []string{"conflict 5"}},
		{"condition beats none", `policy "a" {
  match = { operation = "x" }
  action = "allow"
}
policy "b" {
  match = { operation = "x" }
  command = ["git status"]
  action = "deny"
}`, nil},
		{"other profiles", `policy "a" {
  match = { operation = "x" }
  profiles = ["p"]
  action = "allow"
}
policy "b" {
  match = { operation = "x" }
  profiles = ["q"]
  action = "deny"
}
policy "c" {
  match = { operation = "x" }
  profiles = ["q", "r"]
  action = "deny"
}`, []string{"conflict 11"}},
		{"narrower glob", `policy "a" {
  match = { operation = "get*" }
  action = "allow"
}
policy "b" {
  match = { operation = "get_secret*" }
  action = "deny"
}`, nil},
		{"neither glob narrower", `policy "a" {
  match = { operation = "get*" }
  action = "allow"
}
policy "b" {
  match = { operation = "*Issue" }
  action = "deny"
}
policy "c" {
  match = { operation = "put*", provider = "p" }
  action = "deny"
}`, []string{"conflict 5", "conflict 9"}},
		{"provider globs", `policy "a" {
  match = { operation = "x", provider = "a*" }
  action = "allow"
}
policy "b" {
  match = { operation = "x", provider = "*b" }
  action = "deny"
}
policy "c" {
  match = { operation = "y", provider = "*b" }
  action = "deny"
}`, []string{"conflict 5"}},
		{"overridden", `policy "critical" {
  match = { risk = "critical" }
  action = "deny"
}
policy "bash" {
  match = { operation = "bash" }
  action = "allow"
}`, []string{"overridden 1"}},
		{"not overridden: an exception within an ask", `policy "shells" {
  match = { operation = "*sh" }
  action = "ask"
}
policy "bash" {
  match = { operation = "bash" }
  action = "allow"
}`, nil},
		{"profiles without a block", `policy "bash" {
  match = { operation = "bash" }
  profiles = ["cii"]
  action = "ask"
}
agent_profile "ci" {
}`, []string{"undeclared_profile 3"}},
		{"not overridden: risks differ", `policy "critical" {
  match = { risk = "critical" }
  action = "deny"
}
policy "bash" {
  match = { operation = "bash", risk = "low" }
  action = "allow"
}`, nil},
		{"guarded", `policy "bash" {
  match = { operation = "bash" }
  action = "allow"
}
guard "no_bash" {
  match = { operation = "ba*" }
  action = "deny"
}`, []string{"guarded 1"}},
		{"guarded in part", `policy "bash" {
  match = { operation = "bash" }
  action = "allow"
}
guard "no_bash" {
  match = { operation = "bash", risk = "high" }
  action = "deny"
}`, nil},
		{"impossible", `policy "p" {
  match = { kind = "data_source", risk = "high" }
  action = "deny"
}`, []string{"contradiction 1"}},
		{"covered by a star", `policy "p" {
  match = { provider = "pq" }
  action = "deny"
}
policy "q" {
  match = { provider = "pq", operation = "**" }
  action = "ask"
}`, []string{"never_wins 1"}},
		{"not covered: an unknown risk is left", `policy "p" {
  match = { provider = "pq", kind = "resource" }
  action = "deny"
}
policy "q" {
  match = { provider = "pq", risk = ["read_only", "low", "moderate", "high", "critical"] }
  action = "ask"
}`, nil},
		{"covered: reads have a risk", `policy "p" {
  match = { provider = "pq", kind = "data_source" }
  action = "deny"
}
policy "q" {
  match = { provider = "pq", risk = ["read_only", "low", "moderate", "high", "critical"] }
  action = "ask"
}`, []string{"never_wins 1"}},
		{"guarded, but a call may contradict itself", `policy "p" {
  match = { provider = "fs", risk = "high" }
  action = "allow"
}
guard "g" {
  match = { kind = "resource" }
  action = "deny"
}`, nil},
		{"overridden until it expires", `policy "p" {
  match = { operation = "a*" }
  action = "deny"
}
policy "q" {
  match = { operation = "ab" }
  action = "allow"
  expires = "2099-01-01T00:00:00Z"
}`, []string{"overridden 1"}},
		{"not overridden where a guard denies", `policy "p" {
  match = { provider = "fs" }
  action = "deny"
}
policy "q" {
  match = { operation = "ls" }
  action = "allow"
}
guard "g" {
  match = { operation = "ls", kind = "resource" }
  action = "deny"
}`, nil},
		{"lists multiply", "policy \"p\" {\n  match = { operation = " + longList("o") + ", provider = " + longList("p") + " }\n  action = \"deny\"\n}",
			[]string{"too_many_values 2"}},
		{"expired", `policy "p" {
  match = { operation = "x" }
  action = "deny"
  expires = "2020-01-01T00:00:00Z"
}
policy "q" {
  match = { operation = "x" }
  action = "deny"
}`, []string{"expired 4"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, findings := Compile(Input{Layers: []LayerFile{project(t, test.policy)}, Now: time.Unix(1.8e9, 0)})
			if diff := cmp.Diff(test.want, found(findings)); diff != "" {
				t.Errorf("%s\n%v", diff, findings)
			}
		})
	}
}

// longList writes a list of 200 names.
func longList(prefix string) string {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, ", \"%s%d\"", prefix, i)
	}
	return "[" + b.String()[2:] + "]"
}

func TestWitnessesProveFindings(t *testing.T) {
	in := Input{Layers: []LayerFile{project(t, `policy "critical" {
  match = { risk = ["critical", "high"], kind = "resource" }
  action = "deny"
}
policy "shells" {
  match = { operation = "*sh", provider = "local" }
  action = "allow"
}`)}}
	table, findings := Compile(in)
	if len(findings) != 1 || findings[0].Witness == nil {
		t.Fatalf("want one finding with a witness: %v", findings)
	}
	if got := table.Decide(*findings[0].Witness); got.DecidedBy() != "policy:shells" {
		t.Errorf("the witness is decided by %s", got.DecidedBy())
	}
}

func TestErrorsDenyEverything(t *testing.T) {
	file, diags := dsl.Parse("agent.hcl", []byte("policy \"a\" {\n  match = { toolname = \"x\" }\n  action = \"allow\"\n}\n"))
	table, findings := Compile(Input{Layers: []LayerFile{{plangate.LayerProject, file, true}}, Findings: diags})
	if !findings.HasErrors() {
		t.Fatal("no error")
	}
	got := table.Decide(plangate.Call{Kind: plangate.DataSource, Operation: "read"})
	if got.Action() != plangate.Deny || got.DecidedBy() != "builtin:policy_error" || got.Rule().Line != 2 {
		t.Errorf("got %+v", got.Outcome())
	}
}

func TestLayers(t *testing.T) {
	user := layer(t, plangate.LayerUser, true, `policy "ask_writes" {
  match = { provider = "fs", kind = "resource" }
  action = "ask"
}
policy "no_rm" {
  match = { operation = "rm" }
  action = "deny"
}
defaults {
  data_source = "ask"
}
agent_profile "ci" {
  allowed_tools = ["a", "b"]
  deny_tools = ["x"]
}`)
	inner := `policy "writes_ok" {
  match = { provider = "fs", kind = "resource" }
  action = "allow"
}
policy "ask_rm" {
  match = { operation = "rm" }
  action = "ask"
}
defaults {
  data_source = "allow"
}
agent_profile "ci" {
  allowed_tools = ["a"]
  deny_tools = ["y"]
}`
	calls := []plangate.Call{
		{Kind: plangate.Resource, Provider: "fs", Operation: "write"},
		{Kind: plangate.Resource, Operation: "rm"},
		{Kind: plangate.DataSource, Operation: "read"},
		{Kind: plangate.Resource, Operation: "a", Profile: "ci"},
		{Kind: plangate.Resource, Operation: "b", Profile: "ci"},
		{Kind: plangate.Resource, Operation: "x", Profile: "ci"},
		{Kind: plangate.Resource, Operation: "y", Profile: "ci"},
	}
	for _, test := range []struct {
		trusted bool
		want    []string
	}{
		{true, []string{
			"allow policy:writes_ok", "ask policy:ask_rm", "allow default:data_source",
			"allow allowed_tools", "deny allowed_tools", "deny deny_tools", "deny deny_tools",
		}},
		{false, []string{
			"ask policy:ask_writes", "deny policy:no_rm", "deny default:data_source",
			"ask default:resource", "deny allowed_tools", "deny deny_tools", "deny deny_tools",
		}},
	} {
		table, findings := Compile(Input{Layers: []LayerFile{layer(t, plangate.LayerProject, test.trusted, inner), user}})
		if findings.HasErrors() {
			t.Fatal(findings)
		}
		for i, call := range calls {
			d := table.Decide(call)
			if got := d.Action().String() + " " + d.DecidedBy(); got != test.want[i] {
				t.Errorf("trusted %v, call %d: got %s, want %s", test.trusted, i, got, test.want[i])
			}
		}
	}
}

func TestInnerLayersCannotWiden(t *testing.T) {
	user := layer(t, plangate.LayerUser, true, "agent_profile \"ci\" {\n  allowed_tools = [\"a\"]\n  headless = true\n}")
	inner := project(t, "agent_profile \"ci\" {\n  allowed_tools = [\"a\", \"b\"]\n  headless = false\n}")
	_, findings := Compile(Input{Layers: []LayerFile{user, inner}})
	if diff := cmp.Diff([]string{"allowlist_widens 2", "headless_lifted 3"}, found(findings)); diff != "" {
		t.Error(diff)
	}
}

func TestUntrustedPoliciesConflictWithNothing(t *testing.T) {
	allow := project(t, "policy \"a\" {\n  match = { operation = \"x\" }\n  action = \"allow\"\n}")
	deny := layer(t, plangate.LayerProject, false, "policy \"b\" {\n  match = { operation = \"x\" }\n  action = \"deny\"\n}")
	table, findings := Compile(Input{Layers: []LayerFile{allow, deny}})
	if findings.HasErrors() {
		t.Fatal(findings)
	}
	if got := table.Decide(plangate.Call{Kind: plangate.Resource, Operation: "x"}); got.DecidedBy() != "policy:b" {
		t.Errorf("decided by %s", got.DecidedBy())
	}
}

func TestFilesOfOneLayerAreNotOrdered(t *testing.T) {
	text := "defaults {\n  resource = \"deny\"\n}\nagent_profile \"ci\" {\n  allowed_tools = [\"a\"]\n  headless = true\n}"
	other := strings.ReplaceAll(text, "true", "false")
	_, findings := Compile(Input{Layers: []LayerFile{project(t, text), project(t, other)}})
	if diff := cmp.Diff([]string{"set_twice 2", "set_twice 5", "set_twice 6"}, found(findings)); diff != "" {
		t.Error(diff)
	}
}

func TestCatalogFindings(t *testing.T) {
	known, diags := catalog.Parse("catalog.json", []byte(`{"providers":{"fs":{"operations":{
		"read_file":{"kind":"data_source","risk":"read_only"},
		"write_file":{"kind":"resource","risk":"moderate"}}}}}`))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	_, findings := Compile(Input{Catalog: known, Layers: []LayerFile{project(t, `policy "a" {
  match = { operation = "read_fil" }
  action = "deny"
}
policy "b" {
  match = { operation = ["read_file", "exec"], provider = "fz" }
  action = "deny"
}
policy "c" {
  match = { operation = "read_file", kind = "resource" }
  action = "deny"
}
policy "d" {
  match = { operation = "list*" }
  action = "deny"
}
policy "e" {
  match = { operation = "write*", provider = "fs" }
  action = "deny"
}
agent_profile "p" {
  deny_tools = ["write_fil", "mcp__fs__read_file"]
}`)}})
	want := []string{
		"shell_without_rule 1", "unknown_operation 2", "unknown_operation 6", "unknown_provider 6",
		"matches_nothing 9", "matches_nothing 13", "unknown_operation 22",
	}
	if diff := cmp.Diff(want, found(findings)); diff != "" {
		t.Error(diff)
	}
}

func TestAllConflictsAreListedUpToABound(t *testing.T) {
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "policy \"p%d\" {\n  match = { operation = \"x\" }\n  action = \"deny\"\n}\n", i)
	}
	_, findings := Compile(Input{Layers: []LayerFile{project(t, text.String())}})
	if len(findings) != maxConflicts+1 {
		t.Errorf("%d findings", len(findings))
	}
	if last := findings[len(findings)-1]; !strings.Contains(last.Detail, "435") { // 30 policies make 30·29/2 pairs
		t.Errorf("no count: %s", last.Detail)
	}
}

func TestRemedies(t *testing.T) {
	call := plangate.Call{Kind: plangate.Resource, Risk: plangate.Moderate, Provider: "fs", Operation: "write_file"}
	for _, test := range []struct {
		name, policy string
		check        func(t *testing.T, allow, deny Remedy)
	}{
		{"append", "", func(t *testing.T, allow, deny Remedy) {
			if allow.Block == "" || deny.Block == "" || allow.Decision.DecidedBy() != "policy:allow_write_file" {
				t.Errorf("%+v", allow)
			}
		}},
		{"change", `policy "mine" {
  match = { operation = "write_file", provider = "fs", risk = "moderate", kind = "resource" }
  action = "ask"
}`, func(t *testing.T, allow, deny Remedy) {
			if allow.Change == nil || allow.Change.Start.Line != 3 || allow.Decision.Action() != plangate.Allow {
				t.Errorf("%+v", allow)
			}
		}},
		{"blocked", `guard "no" {
  match = { provider = "fs" }
  action = "ask"
}`, func(t *testing.T, allow, deny Remedy) {
			if allow.Blocked == "" || deny.Block == "" {
				t.Errorf("%+v", allow)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			remedies := Remedies(Input{Layers: []LayerFile{project(t, test.policy)}}, call)
			if len(remedies) != 2 {
				t.Fatalf("%d remedies", len(remedies))
			}
			test.check(t, remedies[0], remedies[1])
		})
	}
}

func TestEncodedTableNeedsNoHCL(t *testing.T) {
	table, _ := Compile(Input{Layers: []LayerFile{project(t, "policy \"a\" {\n  match = { operation = \"x\" }\n  action = \"allow\"\n}")}})
	loaded, err := eval.Load(table.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := loaded.Decide(plangate.Call{Kind: plangate.Resource, Operation: "x"}); got.Action() != plangate.Allow {
		t.Error(got.DecidedBy())
	}
}
