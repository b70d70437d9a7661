package dsl

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/plangate/plangate"
)

const fullNative = `# A file with everything in it.
required_providers {
  x = "1"
}

policy "reads" {
  match  = { kind = "data_source" }
  action = "allow"
}

policy "caf\u00e9" {
  match = {
    operation = ["bash", "get*"]
    provider  = "fs"
    risk      = ["low", "high"]
    kind      = "resource"
  }
  action   = "hook"
  command  = ["git status", "echo $${HOME} \"x\" 100%"]
  path     = "**/*.pem"
  host     = ["*.example.com"]
  grant    = "git-push"
  when     = input.depth < 3
  reason   = "Because\nof this."
  profiles = ["ci"]
  expires  = "2027-01-31T18:00:00Z"
}

guard "secrets" {
  path   = ["**/.env"]
  action = "deny"
}

defaults {
  resource    = "ask"
  data_source = "deny"
  interactive = "allow"
}

agent_profile "worker" {
  headless          = true
  allowed_tools     = ["Read", "mcp__ctx__resolve"]
  deny_tools        = []
  escalation_grants = ["git-commit"]
  model             = "kernel's"
}

decision_hook {
  command  = ["ask", "--now"]
  timeout  = "5s"
  on_error = "ask"
}

approvals {
  expires_in = "30m"
  on_expire  = "cancel_turn"
}

circuit_breaker {
  consecutive = 5
  denials     = 0
}
`

const fullJSON = `{
  "//": "A file with everything in it.",
  "required_providers": {"x": "1"},
  "policy": [
    {"reads": {"match": {"kind": "data_source"}, "action": "allow"}},
    {"caf\u00e9": {
      "match": {"operation": ["bash", "get*"], "provider": "fs", "risk": ["low", "high"], "kind": "resource"},
      "action": "hook",
      "command": ["git status", "echo $${HOME} \"x\" 100%"],
      "path": "**/*.pem",
      "host": ["*.example.com"],
      "grant": "git-push",
      "when": "${input.depth < 3}",
      "reason": "Because\nof this.",
      "profiles": ["ci"],
      "expires": "2027-01-31T18:00:00Z"
    }}
  ],
  "guard": {"secrets": {"path": ["**/.env"], "action": "deny"}},
  "defaults": {"resource": "ask", "data_source": "deny", "interactive": "allow"},
  "agent_profile": {"worker": {
    "headless": true,
    "allowed_tools": ["Read", "mcp__ctx__resolve"],
    "deny_tools": [],
    "escalation_grants": ["git-commit"],
    "model": "kernel's"
  }},
  "decision_hook": {"command": ["ask", "--now"], "timeout": "5s", "on_error": "ask"},
  "approvals": {"expires_in": "30m", "on_expire": "cancel_turn"},
  "circuit_breaker": {"consecutive": 5, "denials": 0}
}
`

// withoutRanges compares what a file says, not where.
var withoutRanges = cmp.Options{
	cmpopts.IgnoreTypes(plangate.Range{}),
	cmpopts.IgnoreFields(File{}, "Name", "Source"),
	cmpopts.IgnoreFields(Foreign{}, "Labels"),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Expr" }, cmp.Comparer(func(a, b hcl.Expression) bool {
		return (a == nil) == (b == nil)
	})),
}

func parseFine(t *testing.T, name, src string) *File {
	t.Helper()
	file, diags := Parse(name, []byte(src))
	if len(diags) > 0 {
		t.Fatalf("%s: %v", name, diags)
	}
	return file
}

func lit[T any](v T) Lit[T] { return Lit[T]{Value: v} }

func lits[T any](values ...T) []Lit[T] {
	out := make([]Lit[T], len(values))
	for i, v := range values {
		out[i] = lit(v)
	}
	return out
}

func ptr[T any](v T) *T { return &v }

func TestParse(t *testing.T) {
	want := &File{
		Policies: []*Policy{
			{Body{Name: lit("reads"), Match: Match{Kind: lits(plangate.DataSource)}, Action: lit(plangate.Allow)}},
			{Body{
				Name: lit("caf\u00e9"),
				Match: Match{
					Operation: lits[Pattern]("bash", "get*"),
					Provider:  lits[Pattern]("fs"),
					Risk:      lits(plangate.Low, plangate.High),
					Kind:      lits(plangate.Resource),
				},
				Action: lit(plangate.Hook),
				Conditions: []Condition{
					{Type: Command, Values: lits("git status", `echo ${HOME} "x" 100%`)},
					{Type: Path, Values: lits("**/*.pem")},
					{Type: Host, Values: lits("*.example.com")},
					{Type: Grant, Values: lits("git-push")},
					{Type: When, Expr: hcl.StaticExpr(cty.True, hcl.Range{}), Text: "input.depth < 3"},
				},
				Reason:   ptr(lit("Because\nof this.")),
				Profiles: lits("ci"),
				Expires:  ptr(lit(time.Date(2027, 1, 31, 18, 0, 0, 0, time.UTC))),
			}},
		},
		Guards: []*Guard{{Body{Name: lit("secrets"), Action: lit(plangate.Deny), Conditions: []Condition{{Type: Path, Values: lits("**/.env")}}}}},
		Defaults: []*Default{
			{plangate.Resource, lit(plangate.Ask)}, {plangate.DataSource, lit(plangate.Deny)}, {plangate.Interactive, lit(plangate.Allow)},
		},
		Profiles: []*Profile{{
			Name: lit("worker"), Headless: ptr(lit(true)),
			AllowedTools:     ptr(lit(lits("Read", "mcp__ctx__resolve"))),
			DenyTools:        ptr(lit(lits[string]())),
			EscalationGrants: ptr(lit(lits("git-commit"))),
		}},
		Hook: &DecisionHook{Command: ptr(lit(lits("ask", "--now"))), Timeout: lit(5 * time.Second), OnError: lit(plangate.Ask)},
		Approval: &Approvals{ExpiresIn: lit(30 * time.Minute), OnExpire: lit(ExpireCancelTurn),
			Hold: lit("item"), SessionScope: lit("command"), Audit: lit("required")},
		Breaker: &Breaker{Consecutive: lit(5), Window: lit(20), Denials: lit(0)},
		Foreign: []Foreign{{Type: "required_providers"}},
	}
	for _, f := range []struct{ name, src string }{
		{"agent.hcl", fullNative},
		{"agent.hcl", "\ufeff" + strings.ReplaceAll(fullNative, "\n", "\r\n")},
		{"agent.hcl.json", fullJSON},
		{"agent.hcl.json", "\ufeff" + fullJSON},
	} {
		if diff := cmp.Diff(want, parseFine(t, f.name, f.src), withoutRanges); diff != "" {
			t.Errorf("%s: %s", f.name, diff)
		}
	}
}

// TestRanges holds the places of the tree to the text they stand for.
func TestRanges(t *testing.T) {
	for _, name := range []string{"agent.hcl", "agent.hcl.json"} {
		src := map[string]string{"agent.hcl": fullNative, "agent.hcl.json": fullJSON}[name]
		file := parseFine(t, name, src)
		at := func(r plangate.Range) string { return src[r.Start.Byte:r.End.Byte] }
		p := file.Policies[1]
		got := []string{
			at(p.Name.Range), at(p.Match.Operation[1].Range), at(p.Match.Risk[0].Range), at(p.Action.Range),
			at(p.Conditions[0].Name), at(p.Conditions[0].Values[0].Range), at(p.Conditions[1].Range), at(p.Conditions[4].Range),
			at(p.Reason.Range), at(p.Profiles[0].Range), at(p.Expires.Range),
			at(file.Profiles[0].Headless.Range), at(file.Profiles[0].AllowedTools.Range), at(file.Hook.Timeout.Range),
			at(file.Breaker.Consecutive.Range), at(file.Defaults[2].Action.Range),
		}
		want := []string{
			`"caf\u00e9"`, `"get*"`, `"low"`, `"hook"`, "command", `"git status"`, `"**/*.pem"`, "input.depth < 3", `"Because\nof this."`, `"ci"`,
			`"2027-01-31T18:00:00Z"`, "true", `["Read", "mcp__ctx__resolve"]`, `"5s"`, "5", `"allow"`,
		}
		if name == "agent.hcl.json" {
			want[4], want[7] = `"command"`, `"${input.depth < 3}"`
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if body := at(p.Range); !strings.HasSuffix(body, "}") || !strings.HasPrefix(body, at(p.Header)) {
			t.Errorf("%s: block is %q, header %q", name, body, at(p.Header))
		}
	}
}

// TestExactBytes: HCL puts string values into NFC, which would merge two names.
func TestExactBytes(t *testing.T) {
	const nfd, kelvin = "e\u0301", "\u212a"
	for _, f := range []struct{ name, src string }{
		{"agent.hcl", withMatch(`{ operation = ["` + nfd + `", "\u212a", "x\n` + nfd + `"] }`)},
		{"agent.hcl.json", `{"policy": {"p": {"action": "deny", "match": {"operation": ["` + nfd + `", "\u212a", "x\n` + nfd + `"]}}}}`},
	} {
		got := parseFine(t, f.name, f.src).Policies[0].Match.Operation
		want := lits[Pattern](nfd, kelvin, "x\n"+nfd)
		if diff := cmp.Diff(want, got, withoutRanges); diff != "" {
			t.Errorf("%s: %s", f.name, diff)
		}
	}
}

// TestKernelBlocks are recorded with their labels and not looked into.
func TestKernelBlocks(t *testing.T) {
	file := parseFine(t, "agent.hcl", "provider \"a\" \"b\" {\n  x = foo(1)\n}\nsettings {\n}\n")
	want := []Foreign{{Type: "provider", Labels: []string{"a", "b"}}, {Type: "settings", Labels: []string{}}}
	if diff := cmp.Diff(want, file.Foreign, cmpopts.IgnoreTypes(plangate.Range{})); diff != "" {
		t.Error(diff)
	}
}

// TestRelated holds findings about two places to both.
func TestRelated(t *testing.T) {
	for _, src := range []string{
		"defaults {\n}\ndefaults {\n}\n",
		"guard \"a\" {\n  action = \"deny\"\n}\nguard \"A\" {\n  action = \"deny\"\n}\n",
		withMatch(`{ risk = "low", risk = "low" }`),
		withMatch(`{ operation = "a", tool_name = "a" }`),
		"decision_hook {\n  command = [\"x\"]\n  url = \"https://h\"\n}\n",
	} {
		_, diags := Parse("agent.hcl", []byte(src))
		if len(diags) != 1 || len(diags[0].Related) != 1 || diags[0].Related[0].Range.Start.Byte >= diags[0].Range.Start.Byte {
			t.Errorf("%s\n%v", src, diags)
		}
	}
}

// TestHalfWritten: whatever the text, there is a file to look at.
func TestHalfWritten(t *testing.T) {
	for _, name := range []string{"agent.hcl", "agent.hcl.json"} {
		full := map[string]string{"agent.hcl": fullNative, "agent.hcl.json": fullJSON}[name]
		for end := range full {
			file, diags := Parse(name, []byte(full[:end]))
			if file == nil || string(file.Source) != full[:end] {
				t.Fatal("no file")
			}
			checkComplete(t, name, []byte(full[:end]), diags)
		}
	}
}
