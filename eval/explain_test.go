package eval

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

// judged says what became of a candidate: name, outcome, why.
type judged struct {
	Name    string
	Outcome Outcome
	Why     Why
}

func judgedOf(candidates []Candidate) []judged {
	var out []judged
	for _, c := range candidates {
		out = append(out, judged{c.Rule.Name, c.Outcome, c.Why})
	}
	return out
}

func TestExplainTellsWhatBecameOfEveryRule(t *testing.T) {
	conditional := policy("conditional", plangate.Allow, Match{Operations: names("x")})
	conditional.Conditions = []ConditionSource{{Type: "command", Values: names("git status")}}
	elsewhere := policy("elsewhere", plangate.Deny, Match{Operations: names("x")})
	elsewhere.Profiles = names("ci")
	over := policy("over", plangate.Deny, Match{Operations: names("x"), Kinds: []plangate.Kind{plangate.Resource}})
	over.NotAfter = time.Unix(1, 0)
	outer := policy("outer", plangate.Deny, Match{Providers: names("p")})
	outer.Layer = plangate.LayerUser
	distrusted := policy("distrusted", plangate.Allow, Match{Operations: names("x"), Providers: names("p")})
	distrusted.Untrusted = true

	made := table(t,
		conditional, elsewhere, over, outer, distrusted,
		policy("winner", plangate.Allow, Match{Operations: names("x")}),
		policy("inner", plangate.Ask, Match{Providers: names("p")}),
		policy("broad", plangate.Ask, Match{}),
		policy("other", plangate.Deny, Match{Operations: names("y")}),
		guardRule("weaker", plangate.Ask, Match{}),
		guardRule("strict", plangate.Deny, Match{Operations: names("x*")}),
	)
	call := write("p", "x")
	call.Time = time.Unix(2, 0)
	trace := made.Explain(call)
	if !trace.Decision.Equal(made.Decide(call)) {
		t.Fatal("explain and decide differ")
	}
	part := trace.Parts[trace.Decided]
	want := []judged{
		{"distrusted", DoesNotApply, WhyUntrusted},
		{"over", DoesNotApply, WhyExpired},
		{"conditional", DoesNotApply, WhyUncertain},
		{"elsewhere", DoesNotApply, WhyProfile},
		{"winner", Chosen, ""},
		{"inner", Lost, WhySpecificity},
		{"outer", Lost, WhySpecificity},
		{"broad", Lost, WhySpecificity},
	}
	if diff := cmp.Diff(want, judgedOf(part.Policies)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]judged{{"strict", Won, ""}, {"weaker", Tightened, WhyWeaker}}, judgedOf(part.Guards)); diff != "" {
		t.Error(diff)
	}
	if part.Fallback.Outcome != Lost || part.Fallback.Why != WhyUnused {
		t.Errorf("fallback: %+v", part.Fallback)
	}
}

func TestExplainLists(t *testing.T) {
	allowed := List{Names: names("x"), Rule: plangate.Rule{Type: plangate.RuleList, Name: "allowed_tools"}}
	made, err := New(Source{
		Defaults: BuiltinDefaults(),
		Rules:    []Rule{policy("p", plangate.Ask, Match{Operations: names("y")})},
		Profiles: []Profile{{Name: "ci", AllowedTools: &allowed, Headless: true}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		operation, want string
		decides         bool
	}{
		{"x", "allowed_tools", false},
		{"y", "allowed_tools", true},
	} {
		call := write("p", test.operation)
		call.Profile = "ci"
		trace := made.Explain(call)
		if got := trace.Decision.DecidedBy(); got != test.want {
			t.Errorf("%s: decided by %s", test.operation, got)
		}
		if lists := trace.Parts[0].Lists; len(lists) != 1 || lists[0].Decides != test.decides {
			t.Errorf("%s: lists %+v", test.operation, lists)
		}
	}
}

func TestContradictionIsDecidedBothWays(t *testing.T) {
	made, err := New(Source{
		Defaults:   BuiltinDefaults(),
		Operations: []Operation{{Provider: "p", Name: "x", Kind: plangate.Resource, Risk: plangate.High}},
		Rules:      []Rule{guardRule("high", plangate.Deny, Match{Risks: []plangate.Risk{plangate.High}})},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	trace := made.Explain(plangate.Call{Provider: "p", Operation: "x", Kind: plangate.DataSource})
	if len(trace.Parts) != 2 || trace.Parts[trace.Decided].Source != SourceCatalog {
		t.Errorf("%+v", trace)
	}
	if diff := cmp.Diff([]string{"kind_mismatch"}, trace.Decision.Unknown()); diff != "" {
		t.Error(diff)
	}
}
