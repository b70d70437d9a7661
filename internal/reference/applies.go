package reference

import (
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
)

// block is a policy or guard with the place it comes from.
type block struct {
	body    *dsl.Body
	kind    plangate.RuleType // RulePolicy or RuleGuard
	layer   plangate.Layer    // of the file
	trusted bool
}

func (b block) rule() plangate.Rule {
	return plangate.Rule{
		Type: b.kind, Name: b.body.Name.Value, Layer: b.rank(),
		File: b.body.Header.File, Line: b.body.Header.Start.Line,
	}
}

// rank is the layer that counts: a profiles list makes it the innermost (LAY-1).
func (b block) rank() plangate.Layer {
	if len(b.body.Profiles) > 0 {
		return plangate.LayerProfile
	}
	return b.layer
}

func (b block) verdict(action plangate.Action, unknown []string) verdict {
	v := verdict{action: action, rule: b.rule(), unknown: unknown}
	if b.body.Reason != nil {
		v.reason = b.body.Reason.Value
	}
	return v
}

func policies(p Policy) []block {
	var all []block
	for _, l := range p.Layers {
		for _, policy := range l.File.Policies {
			all = append(all, block{&policy.Body, plangate.RulePolicy, l.Layer, l.Trusted})
		}
	}
	return all
}

func guards(p Policy) []block {
	var all []block
	for _, l := range p.Layers {
		for _, guard := range l.File.Guards {
			all = append(all, block{&guard.Body, plangate.RuleGuard, l.Layer, l.Trusted})
		}
	}
	return all
}

// applies is §2: the conjunction of a rule's parts, and which are unknown.
func applies(p Policy, r reading, b block) (Truth, []string) {
	type part struct {
		name   string
		answer Truth
	}
	m := &b.body.Match
	parts := []part{
		{"operation", matches(m.Operation, r.call.Operation)},
		{"provider", matches(m.Provider, r.call.Provider)},
		{"risk", matchesRisk(m.Risk, r.risk)},
		{"kind", matchesKind(m.Kind, r.kind)},
		{"profiles", inProfile(b.body.Profiles, r.call.Profile)},
		{"expires", notExpired(b.body, r.call)},
	}
	for i := range b.body.Conditions {
		c := &b.body.Conditions[i]
		parts = append(parts, part{string(c.Type), test(p, r, Question{Condition: c, Action: b.body.Action.Value, Body: b.body})})
	}
	answer, unknown := Yes, []string(nil)
	for _, part := range parts {
		answer = min(answer, part.answer)
		if part.answer == Unknown {
			unknown = append(unknown, part.name)
		}
	}
	return answer, unknown
}

func matches(values []dsl.Lit[dsl.Pattern], name string) Truth {
	return yesIf(len(values) == 0 || slices.ContainsFunc(values, func(v dsl.Lit[dsl.Pattern]) bool {
		return matchesName(string(v.Value), name)
	}))
}

// matchesName: an exact value matches the same bytes, a glob the whole name.
func matchesName(pattern, name string) bool {
	switch {
	case !isGlob(pattern):
		return pattern == name
	case pattern[0] == '*':
		return matchesName(pattern[1:], name) || name != "" && matchesName(pattern, name[1:])
	default:
		return name != "" && pattern[0] == name[0] && matchesName(pattern[1:], name[1:])
	}
}

func isGlob(pattern string) bool { return strings.Contains(pattern, "*") }

// matchesRisk: a rule that names a risk is unknown for an unknown risk (DEC-4).
func matchesRisk(values []dsl.Lit[plangate.Risk], risk plangate.Risk) Truth {
	if len(values) == 0 {
		return Yes
	}
	if risk == plangate.RiskUnspecified {
		return Unknown
	}
	return yesIf(contains(values, risk))
}

func matchesKind(values []dsl.Lit[plangate.Kind], kind plangate.Kind) Truth {
	return yesIf(len(values) == 0 || contains(values, kind))
}

func inProfile(profiles []dsl.Lit[string], profile string) Truth {
	return yesIf(len(profiles) == 0 || contains(profiles, profile))
}

// notExpired: the last moment still counts; without a time it is unknown (DEC-8).
func notExpired(body *dsl.Body, call plangate.Call) Truth {
	switch {
	case body.Expires == nil:
		return Yes
	case call.Time.IsZero():
		return Unknown
	default:
		return yesIf(!call.Time.After(body.Expires.Value))
	}
}

// test asks the judge about the call and item at hand. A condition that nobody
// can judge is unknown (CND-1).
func test(p Policy, r reading, q Question) Truth {
	if p.Judge == nil {
		return Unknown
	}
	q.Call, q.Item = r.call, r.item
	return p.Judge.Test(q)
}

func contains[T comparable](values []dsl.Lit[T], wanted T) bool {
	return slices.ContainsFunc(values, func(v dsl.Lit[T]) bool { return v.Value == wanted })
}

func yesIf(b bool) Truth {
	if b {
		return Yes
	}
	return No
}
