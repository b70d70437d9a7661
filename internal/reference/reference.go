package reference

import (
	"slices"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/dsl"
)

// Policy is everything a decision depends on besides the call.
type Policy struct {
	Layers  []Layer          // in any order
	Catalog *catalog.Catalog // nil is an empty catalog
	Judge   Judge            // nil leaves every condition unknown
	// Builtins are the guards that no file can lift (spec BLT-1 to BLT-5).
	Builtins []Builtin
	// Now is when the policy is loaded. It matters to [Conflicts] only.
	Now time.Time
	// Refused is the place of the first error if a layer did not load (spec
	// LAY-3), else nil.
	Refused *plangate.Range
}

// Layer is one policy file and the place it comes from.
type Layer struct {
	Layer   plangate.Layer
	File    *dsl.File
	Trusted bool
}

// Builtin is a built-in guard. It has one condition and concerns resources.
type Builtin struct {
	Name   string
	Action plangate.Action
	Type   string // of the condition
	Values []string
	Reason string
}

// Truth is the answer of a rule or of a part of it.
type Truth int

// The three answers.
const (
	No Truth = iota
	Unknown
	Yes
)

// Judge answers conditions, which the decision algorithm takes as given.
type Judge interface {
	// Items returns into how many parts a call falls (spec DEC-11), at least 1.
	Items(call plangate.Call) int
	// Test answers a condition of a rule with the given action for one item.
	// A held grant is put as a condition of type grant with one value.
	Test(question Question) Truth
}

// Question is what a [Judge] is asked.
type Question struct {
	Call      plangate.Call
	Item      int
	Condition *dsl.Condition
	Action    plangate.Action // of the rule that has the condition
	// Body is the rule: what a condition means may depend on the others beside it.
	// It is nil for a held grant and for a built-in guard.
	Body *dsl.Body
}

// Decide decides a call.
func Decide(p Policy, call plangate.Call) plangate.Decision {
	o := outcome(p, call)
	o.Unknown = sorted(o.Unknown)
	return plangate.NewDecision(call.ID, &o)
}

func outcome(p Policy, call plangate.Call) plangate.Outcome {
	if p.Refused != nil {
		// LAY-3: a file that does not load denies every call. DEC-14 still holds.
		v := builtin(plangate.Deny, "policy_error")
		v.rule.File, v.rule.Line = p.Refused.File, p.Refused.Start.Line
		v.unknown = complete(reading{kind: call.Kind}).unknown
		return final(plangate.DowngradeNone, v)
	}
	// DEC-6 comes first: it says which call is judged at all.
	judged, ambiguous := split(call)
	var best *plangate.Outcome
	var unknown []string
	// DEC-5: the catalog's reading stands at a tie, so it is tried first.
	for _, r := range readings(p, judged) {
		r.ambiguous = ambiguous
		unknown = append(unknown, r.unknown...)
		// DEC-11: every item by itself, the first one at a tie.
		for item := range items(p, judged) {
			r.item = item
			o := decideItem(p, r)
			if best == nil || stricter(o, *best) {
				best = &o
			}
		}
	}
	// DEC-14: what concerns the call as a whole, whatever decided.
	if !profileKnown(p, judged.Profile) {
		unknown = append(unknown, "profile")
	}
	best.Unknown = append(unknown, best.Unknown...)
	return *best
}

func items(p Policy, call plangate.Call) int {
	if p.Judge == nil {
		return 1
	}
	return p.Judge.Items(call)
}

// stricter compares outcomes as DEC-11 says.
func stricter(a, b plangate.Outcome) bool {
	if a.Action != b.Action {
		return a.Action < b.Action
	}
	return a.MatchedAction < b.MatchedAction
}

// decideItem decides one item of one reading of a call.
func decideItem(p Policy, r reading) plangate.Outcome {
	v := choose(p, r)
	// DEC-10: ceilings of policies are part of what was chosen; then PRF-3,
	// DEC-6 and the guards (GRD-1).
	if !profileKnown(p, r.call.Profile) {
		v = tighten(v, builtin(plangate.Ask, "unknown_profile"))
	}
	if r.ambiguous {
		v = tighten(v, builtin(plangate.Ask, "ambiguous_name"))
	}
	// Built-in guards come after all others.
	return downgrade(p, r, builtinGuard(p, r, guard(p, r, v)))
}

// downgrade is DEC-9.
func downgrade(p Policy, r reading, v verdict) plangate.Outcome {
	gated := v.action == plangate.Ask || v.action == plangate.Hook
	switch {
	case gated && r.kind != plangate.Resource:
		return final(plangate.DowngradeNoApplyStep, v)
	case gated && profileOf(p, r.call.Profile).headless:
		return final(plangate.DowngradeHeadless, v)
	default:
		return final(plangate.DowngradeNone, v)
	}
}

// final makes an outcome out of what stands after the guards.
func final(down plangate.Downgrade, v verdict) plangate.Outcome {
	action := v.action
	switch {
	case down != plangate.DowngradeNone:
		action = plangate.Deny
	case action == plangate.Hook:
		action = plangate.Ask
	}
	return plangate.Outcome{
		Action: action, MatchedAction: v.action, Downgrade: down,
		DecidedBy: v.rule.DecidedBy(), Rule: v.rule, Reason: reason(v), Unknown: v.unknown,
	}
}

// reason is DEC-13.
func reason(v verdict) string {
	if v.reason != "" {
		return v.reason
	}
	return "decided by " + v.rule.DecidedBy()
}

// sorted is never nil.
func sorted(names []string) []string {
	names = append([]string{}, names...)
	slices.Sort(names)
	return slices.Compact(names)
}

// verdict is what stands at some step.
type verdict struct {
	action  plangate.Action
	rule    plangate.Rule
	reason  string   // the block's own, or empty
	unknown []string // the parts of the rule that were unknown
}

// tighten is the stricter of two; at a tie what was found first stands (DEC-10).
func tighten(found, ceiling verdict) verdict {
	if ceiling.action < found.action {
		return ceiling
	}
	return found
}

func builtin(action plangate.Action, name string) verdict {
	return verdict{action: action, rule: plangate.Rule{Type: plangate.RuleBuiltin, Name: name}}
}
