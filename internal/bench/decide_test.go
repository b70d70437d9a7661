package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

var sizes = []int{10, 100, 1_000, 10_000, 100_000}

// pair is the key of the plain map.
type pair struct{ Provider, Operation string }

// The results of the loops, so that nothing is optimised away.
var (
	decisionSink plangate.Decision
	actionSink   plangate.Action
)

// BenchmarkDecide compares, for each number of policies, a call that a policy
// names (named), a call that no policy names (base), each with one call again
// and again (hot) and with calls in turn (rotating).
func BenchmarkDecide(b *testing.B) {
	for _, n := range sizes {
		set := newSet(b, n)
		for _, load := range []struct {
			name  string
			calls []plangate.Call
		}{
			{"named/hot", set.named[:1]}, {"named/rotating", set.named},
			{"base/hot", set.unnamed[:1]}, {"base/rotating", set.unnamed},
		} {
			for _, form := range []struct {
				name string
				run  func(*testing.B, []plangate.Call)
			}{
				{"table", set.decide}, {"probe", set.probe}, {"probe+decision", set.probeDecision}, {"scan", set.scan},
			} {
				name := fmt.Sprintf("policies=%d/%s/%s", n, load.name, form.name)
				b.Run(name, func(b *testing.B) { form.run(b, load.calls) })
			}
		}
	}
}

// set is one policy in the forms that are compared.
type set struct {
	table          *eval.Table
	rules          []eval.Rule
	actions        map[pair]plangate.Action
	outcomes       map[pair]*plangate.Outcome
	named, unnamed []plangate.Call
}

// newSet makes n policies: all but four name a pair, as an operator with an
// inventory of tools would write them, four are broad.
func newSet(t testing.TB, n int) *set {
	t.Helper()
	s := &set{actions: map[pair]plangate.Action{}, outcomes: map[pair]*plangate.Outcome{}}
	for i := range n - 4 {
		s.addNamed(i)
	}
	s.addRule("reads", plangate.Allow, eval.Match{Kinds: []plangate.Kind{plangate.DataSource}})
	s.addRule("files", plangate.Ask, eval.Match{Providers: []string{"filesystem"}, Kinds: []plangate.Kind{plangate.Resource}})
	s.addRule("shell", plangate.Ask, eval.Match{Operations: []string{"bash"}})
	s.addRule("critical", plangate.Deny, eval.Match{Risks: []plangate.Risk{plangate.Critical}})
	table, err := eval.New(eval.Source{Rules: s.rules, Defaults: eval.BuiltinDefaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.table = table
	for i := range 1024 {
		s.unnamed = append(s.unnamed, newCall(fmt.Sprintf("unknown_%d", i), "unknown_operation"))
	}
	return s
}

func (s *set) addNamed(i int) {
	key := pair{fmt.Sprintf("provider_%d", i/20), fmt.Sprintf("operation_%d", i)}
	action := plangate.Action(2*(i%2) + 1) // ask, allow
	s.addRule(fmt.Sprintf("p%d", i), action, eval.Match{Providers: []string{key.Provider}, Operations: []string{key.Operation}})
	s.actions[key] = action
	s.outcomes[key] = &plangate.Outcome{Action: action, DecidedBy: "policy", Reason: "reason", Rule: s.rules[i].Rule}
	if i < 1024 {
		s.named = append(s.named, newCall(key.Provider, key.Operation))
	}
}

func (s *set) addRule(name string, action plangate.Action, match eval.Match) {
	s.rules = append(s.rules, eval.Rule{
		Rule: plangate.Rule{
			Type: plangate.RulePolicy, Name: name, Layer: plangate.LayerProject, File: "agent.hcl", Line: len(s.rules) + 1,
		},
		Action: action,
		Match:  match,
	})
}

// newCall has strings of its own, as a call that was read from JSON has.
func newCall(provider, operation string) plangate.Call {
	return plangate.Call{
		Kind: plangate.Resource, Risk: plangate.Moderate,
		Provider: strings.Clone(provider), Operation: strings.Clone(operation),
	}
}

// next returns the index after i in a list of n.
func next(i, n int) int {
	if i++; i == n {
		return 0
	}
	return i
}

func (s *set) decide(b *testing.B, calls []plangate.Call) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		decisionSink = s.table.Decide(calls[i])
		i = next(i, len(calls))
	}
}

func (s *set) probe(b *testing.B, calls []plangate.Call) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		actionSink = s.actions[pair{calls[i].Provider, calls[i].Operation}]
		i = next(i, len(calls))
	}
}

// probeDecision also makes a decision of what it finds.
func (s *set) probeDecision(b *testing.B, calls []plangate.Call) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		outcome := s.outcomes[pair{calls[i].Provider, calls[i].Operation}]
		decisionSink = plangate.NewDecision(calls[i].ID, outcome)
		i = next(i, len(calls))
	}
}

func (s *set) scan(b *testing.B, calls []plangate.Call) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		actionSink = scan(s.rules, &calls[i])
		i = next(i, len(calls))
	}
}

// scan looks at every rule and keeps the most specific that matches, exact
// names only: what an engine without a table does at the least.
func scan(rules []eval.Rule, call *plangate.Call) plangate.Action {
	action, best := plangate.Ask, -1
	for i := range rules {
		match := &rules[i].Match
		if !fits(match.Operations, call.Operation) || !fits(match.Providers, call.Provider) ||
			!fits(match.Risks, call.Risk) || !fits(match.Kinds, call.Kind) {
			continue
		}
		if specificity := specificity(match); specificity > best {
			best, action = specificity, rules[i].Action
		}
	}
	return action
}

func fits[T comparable](values []T, value T) bool {
	for _, v := range values {
		if v == value {
			return true
		}
	}
	return len(values) == 0
}

func specificity(match *eval.Match) int {
	bits := 0
	for _, set := range []bool{
		len(match.Operations) > 0, len(match.Providers) > 0, len(match.Risks) > 0, len(match.Kinds) > 0,
	} {
		bits <<= 1
		if set {
			bits++
		}
	}
	return bits
}

// The forms must agree, or their times mean nothing.
func TestFormsAgree(t *testing.T) {
	s := newSet(t, 1_000)
	for _, call := range append(s.named, s.unnamed...) {
		if got, want := s.table.Decide(call).Action(), scan(s.rules, &call); got != want {
			t.Fatalf("%+v: table %v, scan %v", call, got, want)
		}
	}
}
