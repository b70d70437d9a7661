package eval

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

func policy(name string, action plangate.Action, match Match) Rule {
	return Rule{
		Rule:   plangate.Rule{Type: plangate.RulePolicy, Name: name, Layer: plangate.LayerProject, File: "agent.hcl", Line: 1},
		Action: action, Match: match,
	}
}

func guardRule(name string, action plangate.Action, match Match) Rule {
	r := policy(name, action, match)
	r.Type = plangate.RuleGuard
	return r
}

func names(values ...string) []string { return values }

func table(t testing.TB, rules ...Rule) *Table {
	t.Helper()
	made, err := New(Source{Rules: rules, Defaults: BuiltinDefaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func write(provider, operation string) plangate.Call {
	return plangate.Call{Kind: plangate.Resource, Risk: plangate.Moderate, Provider: provider, Operation: operation}
}

func TestDecideNames(t *testing.T) {
	made := table(t,
		policy("pair", plangate.Deny, Match{Operations: names("rm"), Providers: names("fs")}),
		policy("operation", plangate.Allow, Match{Operations: names("rm")}),
		policy("glob", plangate.Ask, Match{Operations: names("get*")}),
		policy("narrow", plangate.Deny, Match{Operations: names("get_secret*")}),
		policy("provider", plangate.Allow, Match{Providers: names("jira")}),
		policy("providers", plangate.Deny, Match{Providers: names("ji*")}),
		policy("risky", plangate.Deny, Match{Risks: []plangate.Risk{plangate.Critical}}),
	)
	for _, test := range []struct{ provider, operation, want string }{
		{"fs", "rm", "policy:pair"},
		{"other", "rm", "policy:operation"},
		{"", "rm", "policy:operation"},
		{"jira", "rm", "policy:operation"},
		{"jira", "get", "policy:glob"},
		{"x", "get_secrets", "policy:narrow"},
		{"jira", "put", "policy:provider"},
		{"jirb", "put", "policy:providers"},
		{"x", "put", "default:resource"},
		{"", "mcp__jira__put", "policy:provider"},
		{"", "mcp__a__b__c", "default:resource"},
	} {
		call := write(test.provider, test.operation)
		got := made.Decide(call)
		if got.DecidedBy() != test.want {
			t.Errorf("%s.%s: decided by %s, want %s", test.provider, test.operation, got.DecidedBy(), test.want)
		}
		if trace := made.Explain(call); !cmp.Equal(trace.Decision, got) {
			t.Errorf("%s.%s: explain differs: %s", test.provider, test.operation, cmp.Diff(trace.Decision, got))
		}
	}
}

func TestUnknownRiskIsACeiling(t *testing.T) {
	made := table(t,
		policy("low", plangate.Allow, Match{Operations: names("x"), Risks: []plangate.Risk{plangate.Low}}),
		policy("high", plangate.Deny, Match{Operations: names("x"), Risks: []plangate.Risk{plangate.High}}),
		policy("any", plangate.Allow, Match{Operations: names("x")}),
	)
	call := plangate.Call{Kind: plangate.Resource, Operation: "x"}
	got := made.Decide(call).Outcome()
	want := plangate.Outcome{
		Action: plangate.Ask, MatchedAction: plangate.Ask, DecidedBy: "policy:high", Unknown: []string{"risk"},
		Rule:   plangate.Rule{Type: plangate.RulePolicy, Name: "high", Layer: plangate.LayerProject, File: "agent.hcl", Line: 1},
		Reason: got.Reason,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	call.Kind = plangate.DataSource
	if got := made.Decide(call); got.DecidedBy() != "policy:any" {
		t.Errorf("a read has the risk read_only; decided by %s", got.DecidedBy())
	}
}

func TestExpiry(t *testing.T) {
	end := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	allow := policy("for_now", plangate.Allow, Match{Operations: names("x")})
	allow.NotAfter = end
	deny := guardRule("for_now", plangate.Deny, Match{Operations: names("y")})
	deny.NotAfter = end
	made := table(t, allow, deny)
	for _, test := range []struct {
		operation string
		at        time.Time
		want      string
	}{
		{"x", end, "policy:for_now"},
		{"x", end.Add(1), "default:resource"},
		{"x", time.Time{}, "default:resource"},
		{"y", end, "guard:for_now"},
		{"y", end.Add(1), "default:resource"},
		{"y", time.Time{}, "default:resource"},
	} {
		call := write("", test.operation)
		call.Time = test.at
		if got := made.Decide(call); got.DecidedBy() != test.want {
			t.Errorf("%s at %v: decided by %s, want %s", test.operation, test.at, got.DecidedBy(), test.want)
		}
	}
}

func TestDecideAllocatesNothing(t *testing.T) {
	made := table(t,
		policy("pair", plangate.Deny, Match{Operations: names("rm"), Providers: names("fs")}),
		policy("glob", plangate.Ask, Match{Operations: names("get*")}),
		policy("risky", plangate.Deny, Match{Risks: []plangate.Risk{plangate.Critical}}),
		policy("provider", plangate.Allow, Match{Providers: names("jira")}),
	)
	calls := []plangate.Call{
		write("fs", "rm"), write("jira", "get"), write("x", "y"), write("", "mcp__jira__put"),
		{Operation: "x"}, {Operation: "x", Kind: plangate.DataSource},
	}
	for _, call := range calls {
		if n := testing.AllocsPerRun(100, func() { made.Decide(call) }); n != 0 {
			t.Errorf("%s.%s: %v allocations", call.Provider, call.Operation, n)
		}
	}
}

func TestEncodeLoad(t *testing.T) {
	rule := policy("all", plangate.Allow, Match{
		Operations: names("a", "b*"), Providers: names("p"),
		Risks: []plangate.Risk{plangate.Low}, Kinds: []plangate.Kind{plangate.Resource},
	})
	rule.Profiles, rule.NotAfter, rule.Reason = names("ci"), time.Unix(1e9, 5).UTC(), "because"
	rule.Conditions = []ConditionSource{{Type: "command", Values: names("git status")}}
	allowed := List{Names: nil, Rule: plangate.Rule{Type: plangate.RuleList, Name: "allowed_tools"}}
	source := Source{
		Rules: []Rule{guardRule("g", plangate.Ask, Match{}), rule}, Defaults: BuiltinDefaults(),
		Profiles:   []Profile{{Name: "ci", Headless: true, AllowedTools: &allowed}},
		Operations: []Operation{{Provider: "p", Name: "a", Kind: plangate.Resource, Risk: plangate.High}},
		Layers:     []Layer{{plangate.LayerProject, "agent.hcl", LayerLoaded}},
	}
	made, err := New(source, nil)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(made.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made.source, loaded.source); diff != "" {
		t.Error(diff)
	}
	if made.Fingerprint() != loaded.Fingerprint() {
		t.Error("fingerprints differ")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(table(f).Encode())
	f.Add(table(f, policy("a", plangate.Allow, Match{Operations: names("x*", "y")})).Encode())
	f.Add(DenyAll("broken", plangate.Rule{File: "agent.hcl", Line: 3}, nil).Encode())
	f.Fuzz(func(t *testing.T, encoded []byte) {
		for _, candidate := range [][]byte{encoded, reseal(encoded)} {
			loaded, err := Load(candidate, nil)
			if err != nil {
				continue
			}
			again, err := Load(loaded.Encode(), nil)
			if err != nil || again.Fingerprint() != loaded.Fingerprint() {
				t.Fatalf("a loaded table does not encode: %v", err)
			}
			call := write("p", "x")
			if !cmp.Equal(loaded.Decide(call), loaded.Explain(call).Decision) {
				t.Fatal("decide and explain differ")
			}
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{10, 1000, 100000} {
		rules := make([]Rule, n)
		probe := map[pair]int{}
		for i := range rules {
			op, prov := fmt.Sprintf("operation_%d", i), fmt.Sprintf("provider_%d", i%100)
			rules[i] = policy(fmt.Sprint("p", i), plangate.Allow, Match{Operations: names(op), Providers: names(prov)})
			probe[pair{prov, op}] = i
		}
		made := table(b, rules...)
		call := write("provider_7", "operation_7")
		b.Run(fmt.Sprintf("named/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				made.Decide(call)
			}
		})
		b.Run(fmt.Sprintf("probe/%d", n), func(b *testing.B) {
			for b.Loop() {
				sink = probe[pair{call.Provider, call.Operation}]
			}
		})
		other := write("provider_x", "operation_x")
		b.Run(fmt.Sprintf("base/%d", n), func(b *testing.B) {
			for b.Loop() {
				made.Decide(other)
			}
		})
		b.Run(fmt.Sprintf("build/%d", n), func(b *testing.B) {
			for b.Loop() {
				table(b, rules...)
			}
		})
	}
}

var sink int
