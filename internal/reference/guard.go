package reference

import (
	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
)

// guard is GRD-1 and GRD-2: the stricter of what was chosen and of every guard
// that applies or may apply.
func guard(p Policy, r reading, chosen verdict) verdict {
	var best *usedGuard
	for _, b := range guards(p) {
		answer, unknown := applies(p, r, b)
		var u usedGuard
		switch answer {
		case No:
			continue
		case Unknown:
			u = usedGuard{b, b.verdict(plangate.Ask, unknown), false}
		default:
			u = usedGuard{b, b.verdict(b.body.Action.Value, nil), true}
		}
		if best == nil || u.namedBefore(*best) {
			best = &u
		}
	}
	if best == nil {
		return chosen
	}
	return tighten(chosen, best.verdict)
}

// usedGuard is a guard with its result for a call.
type usedGuard struct {
	block
	verdict verdict
	certain bool
}

// namedBefore is the order of GRD-2.
func (u usedGuard) namedBefore(other usedGuard) bool {
	if u.verdict.action != other.verdict.action {
		return u.verdict.action < other.verdict.action
	}
	if u.certain != other.certain {
		return u.certain
	}
	if u.rank() != other.rank() {
		return u.rank() < other.rank()
	}
	return earlier(u.body, other.body)
}

// builtinGuard is BLT-1 to BLT-5 as far as they decide: the conditions are the
// judge's. Among several the order is that of GRD-2; they have no place, so
// the name is what is left of the text.
func builtinGuard(p Policy, r reading, found verdict) verdict {
	if r.kind != plangate.Resource || len(r.call.Input) == 0 {
		return found
	}
	var best *verdict
	for _, b := range p.Builtins {
		v := builtin(b.Action, b.Name)
		v.reason = b.Reason
		answer := test(p, r, Question{Condition: condition(b.Type, b.Values...), Action: b.Action})
		if answer == No {
			continue
		}
		if answer == Unknown {
			v.action, v.unknown = plangate.Ask, []string{unknownName(b.Type)}
		}
		if best == nil || builtinBefore(v, *best) {
			best = &v
		}
	}
	if best == nil {
		return found
	}
	return tighten(found, *best)
}

func builtinBefore(a, b verdict) bool {
	if a.action != b.action {
		return a.action < b.action
	}
	if certain := len(a.unknown) == 0; certain != (len(b.unknown) == 0) {
		return certain
	}
	return a.rule.Name < b.rule.Name
}

// unknownName is what `unknown` calls a condition: writing is about paths.
func unknownName(conditionType string) string {
	if conditionType == "writes" {
		return string(dsl.Path)
	}
	return conditionType
}

// condition makes one that stands in no file.
func condition(conditionType string, values ...string) *dsl.Condition {
	c := &dsl.Condition{Type: dsl.ConditionType(conditionType)}
	for _, value := range values {
		c.Values = append(c.Values, dsl.Lit[string]{Value: value})
	}
	return c
}
