package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/plangate/plangate"
)

// Limits of a [Source]. A list in a match field counts as one rule for each
// combination of its values (spec SEL-2).
const (
	MaxRules        = 1 << 20
	MaxCombinations = 1 << 18 // of all rules together
)

const (
	kindCount = 3
	riskCount = 5
	allRisks  = 1<<riskCount - 1
	allKinds  = 1<<kindCount - 1
)

// decider is what a decision can be attributed to: a rule, a default, a list
// or something built in.
type decider struct {
	plangate.Rule
	action    plangate.Action
	decidedBy string
	reason    string
	prepared  [endingCount]*plangate.Outcome // what it usually says
}

func newDecider(rule plangate.Rule, action plangate.Action, reason string) decider {
	d := decider{Rule: rule, action: action, decidedBy: rule.DecidedBy(), reason: reason}
	if d.reason == "" {
		d.reason = "Decided by " + rule.Type.String() + " " + strconv.Quote(rule.Name) + "."
	}
	d.prepare()
	return d
}

// prepare finishes the usual outcomes, so that a decision allocates nothing.
// Deny and allow end the same way everywhere.
func (d *decider) prepare() {
	plain := verdict{by: d, action: d.action}
	unsure := verdict{by: d, action: d.action, unknown: unknownKind}
	if d.action == plangate.Deny || d.action == plangate.Allow {
		made := [...]plangate.Outcome{plain.finish(canAsk), unsure.finish(canAsk)}
		d.prepared = [endingCount]*plangate.Outcome{&made[0], &made[0], &made[0], kindless: &made[1]}
		return
	}
	made := [...]plangate.Outcome{
		plain.finish(canAsk), plain.finish(noApplyStep), plain.finish(headless), unsure.finish(canAsk),
	}
	for e := range made {
		d.prepared[e] = &made[e]
	}
}

// rule is a [Rule] ready to be judged.
type rule struct {
	decider
	source     *Rule
	kinds      uint8 // bit set over kindIndex
	risks      uint8 // bit set over risk-1
	conditions []boundCondition
	layer      plangate.Layer // LayerProfile if the rule has a profiles list
	fileLayer  plangate.Layer
	// dynamic rules need more of the call than its names, kind and risk.
	dynamic bool
}

// boundCondition is a condition with its name; condition is nil if nobody
// could bind it.
type boundCondition struct {
	name      unknownSet
	condition Condition
}

// guards reports whether the rule binds like a guard: guards, and what is built in.
func (r *rule) guards() bool { return r.Type != plangate.RulePolicy }

// standing reports whether the rule is a built-in guard that is no part of rows.
func (r *rule) standing() bool { return r.Type == plangate.RuleBuiltin && len(r.conditions) > 0 }

// candidate is one combination of a rule's operation and provider values.
type candidate struct {
	*rule
	Combination
}

// init checks one rule of a source and compiles it.
func (r *rule) init(source *Rule, binder Binder) error {
	*r = rule{
		source: source,
		kinds:  allKinds, risks: allRisks,
		layer: source.Layer, fileLayer: source.Layer,
		dynamic: len(source.Profiles) > 0 || len(source.Conditions) > 0 || !source.NotAfter.IsZero(),
	}
	place := source.Rule
	if len(source.Profiles) > 0 {
		r.layer, place.Layer = plangate.LayerProfile, plangate.LayerProfile
	}
	r.decider = newDecider(place, source.Action, source.Reason)
	if err := r.check(); err != nil {
		return err
	}
	if err := r.setMasks(source.Match); err != nil {
		return err
	}
	for i := range source.Conditions {
		bound, err := bind(source, i, binder)
		if err != nil {
			return fmt.Errorf("eval: rule %q: %w", source.Name, err)
		}
		r.conditions = append(r.conditions, bound)
	}
	return nil
}

func (r *rule) check() error {
	switch {
	case r.Type != plangate.RulePolicy && r.Type != plangate.RuleGuard && r.Type != plangate.RuleBuiltin:
		return fmt.Errorf("eval: rule %q has type %s", r.Name, r.Type)
	case r.action > plangate.Allow:
		return fmt.Errorf("eval: rule %q has an unknown action", r.Name)
	case r.guards() && r.action > plangate.Ask:
		return fmt.Errorf("eval: guard %q cannot %s", r.Name, r.action)
	}
	return nil
}

func (r *rule) setMasks(match Match) error {
	for i, risk := range match.Risks {
		if risk < plangate.ReadOnly || risk > plangate.Critical {
			return fmt.Errorf("eval: rule %q has an unknown risk", r.Name)
		}
		if i == 0 {
			r.risks = 0
		}
		r.risks |= 1 << (risk - 1)
	}
	for i, kind := range match.Kinds {
		if kind < plangate.Resource || kind > plangate.Interactive {
			return fmt.Errorf("eval: rule %q has an unknown kind", r.Name)
		}
		if i == 0 {
			r.kinds = 0
		}
		r.kinds |= 1 << (kind - 1)
	}
	return nil
}

func bind(source *Rule, i int, binder Binder) (boundCondition, error) {
	name, ok := conditionNames[source.Conditions[i].Type]
	if !ok {
		return boundCondition{}, fmt.Errorf("unknown condition %q", source.Conditions[i].Type)
	}
	bound := boundCondition{name: name}
	if binder == nil {
		return bound, nil
	}
	if condition, err := binder.Bind(source, i); err == nil {
		bound.condition = condition
	}
	return bound, nil
}

// candidates expands the rule's lists (spec SEL-2).
func (r *rule) candidates() []candidate {
	combinations := r.source.Match.Combinations()
	out := make([]candidate, len(combinations))
	for i, c := range combinations {
		out[i] = candidate{r, c}
	}
	return out
}

// step is the first step of spec SEL-1 at which two candidates differ, and
// which of them it puts first (negative: a).
func step(a, b *candidate) (Why, int) {
	if d := a.CompareSpecificity(&b.Combination); d != 0 {
		return WhySpecificity, d
	}
	if d := cmp.Compare(sign(len(b.conditions)), sign(len(a.conditions))); d != 0 {
		return WhyCondition, d
	}
	if d := cmp.Or(cmp.Compare(b.layer, a.layer), cmp.Compare(b.fileLayer, a.fileLayer)); d != 0 {
		return WhyLayer, d
	}
	if d := cmp.Compare(a.action, b.action); d != 0 {
		return WhyAction, d
	}
	return WhyOrder, textOrder(&a.Rule, &b.Rule)
}

func textOrder(a, b *plangate.Rule) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
}

func sign(n int) int { return min(n, 1) }

// byPrecedence sorts policies, the winner first.
func byPrecedence(a, b candidate) int {
	_, d := step(&a, &b)
	return d
}

// inProfiles reports whether the rule applies under a profile.
func (r *rule) inProfiles(profile string) bool {
	return len(r.source.Profiles) == 0 || slices.Contains(r.source.Profiles, profile)
}
