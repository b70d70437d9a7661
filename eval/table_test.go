package eval

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

func TestDenyAll(t *testing.T) {
	made := DenyAll("broken", plangate.Rule{File: "agent.hcl", Line: 3}, nil)
	for _, kind := range []plangate.Kind{0, plangate.Resource, plangate.DataSource, plangate.Interactive, 77} {
		got := made.Decide(plangate.Call{Kind: kind, Operation: "x"})
		if got.Action() != plangate.Deny || got.DecidedBy() != "builtin:policy_error" || got.Rule().Line != 3 {
			t.Errorf("kind %d: %+v", kind, got.Outcome())
		}
	}
}

func TestFingerprintIgnoresPlaces(t *testing.T) {
	a := policy("a", plangate.Allow, Match{Operations: names("x")})
	b := policy("b", plangate.Deny, Match{Operations: names("y")})
	first := table(t, a, b).Fingerprint()
	a.Line, b.Line, b.File = 9, 2, "other.hcl"
	if table(t, b, a).Fingerprint() != first {
		t.Error("the place of blocks changes the fingerprint")
	}
	b.Action = plangate.Ask
	if table(t, a, b).Fingerprint() == first {
		t.Error("another action has the same fingerprint")
	}
}

func TestCellsAreWhatDecideAnswers(t *testing.T) {
	made := table(t,
		policy("a", plangate.Ask, Match{Operations: names("x"), Providers: names("p"), Risks: []plangate.Risk{plangate.Low}}),
		policy("b", plangate.Deny, Match{Operations: names("x*")}),
	)
	n := 0
	for cell := range made.Cells() {
		n++
		call := plangate.Call{Provider: cell.Provider, Operation: cell.Operation, Kind: cell.Kind, Risk: cell.Risk}
		if diff := cmp.Diff(*cell.Outcome, made.Decide(call).Outcome()); diff != "" {
			t.Errorf("%+v: %s", call, diff)
		}
	}
	if n != kindCount*(riskCount+1) {
		t.Errorf("%d cells", n)
	}
}

func TestNewRefuses(t *testing.T) {
	valid := BuiltinDefaults()
	many := make([]string, 2000)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	operation := Operation{Provider: "p", Name: "x", Kind: plangate.Resource, Risk: plangate.Low}
	for name, source := range map[string]Source{
		"no defaults":       {},
		"hook guard":        {Defaults: valid, Rules: []Rule{guardRule("g", plangate.Hook, Match{})}},
		"default as rule":   {Defaults: valid, Rules: []Rule{{Rule: plangate.Rule{Type: plangate.RuleDefault}}}},
		"unknown action":    {Defaults: valid, Rules: []Rule{policy("p", 9, Match{})}},
		"unknown risk":      {Defaults: valid, Rules: []Rule{policy("p", 0, Match{Risks: []plangate.Risk{9}})}},
		"unspecified kind":  {Defaults: valid, Rules: []Rule{policy("p", 0, Match{Kinds: []plangate.Kind{0}})}},
		"unknown condition": {Defaults: valid, Rules: []Rule{{Rule: plangate.Rule{Type: plangate.RulePolicy}, Conditions: []ConditionSource{{Type: "x"}}}}},
		"too many values":   {Defaults: valid, Rules: []Rule{policy("p", 0, Match{Operations: many, Providers: many})}},
		"profile twice":     {Defaults: valid, Profiles: []Profile{{Name: "a"}, {Name: "a"}}},
		"operation twice":   {Defaults: valid, Operations: []Operation{operation, operation}},
		"no kind":           {Defaults: valid, Operations: []Operation{{Provider: "p", Name: "x", Risk: plangate.Low}}},
	} {
		if _, err := New(source, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Names that differ in the middle only collide in the fast hash.
func TestIndexFallsBackToAllBytes(t *testing.T) {
	rows := make([]row, 1000)
	for i := range rows {
		rows[i].key = pair{"provider", fmt.Sprintf("operation_%08d_operation", i)}
	}
	x := newIndex(rows)
	if !x.full {
		t.Error("the index still hashes the ends only")
	}
	for i := range rows {
		if x.find(rows[i].key) != &x.rows[i] {
			t.Fatalf("row %d is not found", i)
		}
	}
	for _, key := range []pair{{"provider", "operation"}, {"", ""}, {"operation_00000001_operation", "provider"}} {
		if x.find(key) != nil {
			t.Errorf("%v is found", key)
		}
	}
}

func TestSplitName(t *testing.T) {
	for _, test := range []struct {
		provider, operation string
		want                pair
		ambiguous           bool
	}{
		{"", "mcp__a__b", pair{"a", "b"}, false},
		{"", "mcp__a__b_c", pair{"a", "b_c"}, false},
		{"p", "mcp__a__b", pair{"p", "mcp__a__b"}, false},
		{"", "mcp__a__b__c", pair{"", "mcp__a__b__c"}, true},
		{"", "mcp__a___b", pair{"", "mcp__a___b"}, true},
		{"", "mcp____b", pair{"", "mcp____b"}, false},
		{"", "mcp__a__", pair{"", "mcp__a__"}, false},
		{"", "mcp__a", pair{"", "mcp__a"}, false},
		{"", "MCP__a__b", pair{"", "MCP__a__b"}, false},
	} {
		provider, operation, ambiguous := splitName(test.provider, test.operation)
		if (pair{provider, operation}) != test.want || ambiguous != test.ambiguous {
			t.Errorf("%s: %q %q %v", test.operation, provider, operation, ambiguous)
		}
	}
}

func TestTableIsSafeForConcurrentUse(t *testing.T) {
	made := table(t,
		policy("a", plangate.Ask, Match{Operations: names("x")}),
		policy("b", plangate.Deny, Match{Operations: names("y*")}),
	)
	want := made.Decide(write("p", "yes"))
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 200 {
				if !made.Decide(write("p", "yes")).Equal(want) || !made.Explain(write("p", "yes")).Decision.Equal(want) {
					t.Error("another answer")
				}
			}
		})
	}
	wait.Wait()
}

func FuzzPattern(f *testing.F) {
	f.Add("get*", "*Issue", "getIssue")
	f.Add("a*b*c", "a**c", "abc")
	f.Fuzz(func(t *testing.T, a, b, name string) {
		if len(a)+len(name) > 40 {
			return // naive backtracks
		}
		p, q := NewPattern(a), NewPattern(b)
		if p.Matches(name) != naive(a, name) {
			t.Fatalf("%q matches %q: %v", a, name, p.Matches(name))
		}
		witness, overlap := p.Overlap(&q)
		if overlap && !(p.Matches(witness) && q.Matches(witness)) {
			t.Fatalf("%q is no witness of %q and %q", witness, a, b)
		}
		if !overlap && p.Matches(name) && q.Matches(name) {
			t.Fatalf("%q matches both %q and %q", name, a, b)
		}
		if p.Includes(&q) && q.Matches(name) && !p.Matches(name) {
			t.Fatalf("%q does not include %q", a, b)
		}
		if p.Narrower(&q) && p.CompareSpecificity(&q) >= 0 {
			t.Fatalf("%q is narrower than %q and not more specific", a, b)
		}
	})
}

// naive matches a glob by its definition.
func naive(glob, name string) bool {
	switch {
	case glob == "":
		return name == ""
	case glob[0] == '*':
		return naive(glob[1:], name) || name != "" && naive(glob, name[1:])
	default:
		return name != "" && glob[0] == name[0] && naive(glob[1:], name[1:])
	}
}

// An allowlist entry for a tool of one server lists nobody else's (spec PRF-2).
func TestAllowlistNamesOneServer(t *testing.T) {
	allowed := List{
		Names: []string{"mcp__github__list", "mcp____x__y", "read"},
		Rule:  plangate.Rule{Type: plangate.RuleList, Name: "allowed_tools"},
	}
	made, err := New(Source{Defaults: BuiltinDefaults(), Profiles: []Profile{{Name: "p", AllowedTools: &allowed}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		provider, operation string
		want                plangate.Action
	}{
		{"github", "list", plangate.Allow},
		{"", "mcp__github__list", plangate.Allow},
		{"evil", "mcp__github__list", plangate.Deny},
		{"evil", "list", plangate.Deny},
		{"", "x__y", plangate.Deny},
		{"__x", "y", plangate.Allow},
		{"evil", "read", plangate.Allow},
	} {
		call := write(test.provider, test.operation)
		call.Profile = "p"
		if got := made.Decide(call); got.Action() != test.want {
			t.Errorf("%s.%s: %s", test.provider, test.operation, got.Action())
		}
	}
}

// TestExcerptOfOthers: a call that the excerpt was not made for is denied, whatever the
// whole table says.
func TestExcerptOfOthers(t *testing.T) {
	source := Source{Defaults: BuiltinDefaults(), Rules: []Rule{
		{Rule: plangate.Rule{Type: plangate.RulePolicy, Name: "all"}, Action: plangate.Allow},
	}}
	table, err := New(source, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := plangate.Call{ID: "1", Operation: "read", Kind: plangate.DataSource}
	excerpt, err := LoadExcerpt(table.Encode(), nil, []plangate.Call{call})
	if err != nil {
		t.Fatal(err)
	}
	if got := excerpt.Decide(call).Action(); got != plangate.Allow {
		t.Errorf("its own call: %s", got)
	}
	for _, other := range []plangate.Call{
		{ID: "1", Operation: "write"}, {ID: "1", Provider: "p", Operation: "read"}, {ID: "1", Operation: "mcp__p__read"},
	} {
		if got := excerpt.Decide(other).Action(); got != plangate.Deny {
			t.Errorf("%s of %q: %s", other.Operation, other.Provider, got)
		}
	}
	if excerpt.Fingerprint() != table.Fingerprint() {
		t.Error("another fingerprint than the whole table")
	}
}
