package reference

import "github.com/plangate/plangate"

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
