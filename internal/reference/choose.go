package reference

import (
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
)

// choose is PRF-1: deny list, held grant, allowlist, policies, defaults.
func choose(p Policy, r reading) verdict {
	profile := profileOf(p, r.call.Profile)
	// Step 1.
	if e, ok := profile.deny.entry(r.call); ok {
		return listed(plangate.Deny, plangate.RuleList, "deny_tools", e)
	}
	// Step 2.
	for _, e := range held(profile, r.call.Session) {
		c := condition(string(dsl.Grant), e.name)
		if test(p, r, Question{Condition: c, Action: plangate.Allow}) == Yes {
			return listed(plangate.Allow, plangate.RuleGrant, e.name, e)
		}
	}
	// Step 3.
	e, isListed := profile.allowed.permits(r.call)
	if profile.isBounded && !isListed {
		return listed(plangate.Deny, plangate.RuleList, "allowed_tools", profile.bound)
	}
	// Step 4. The ceilings that were met on the way bind whatever is found.
	found, ceilings, ok := selectPolicy(p, r)
	switch {
	case ok:
	case isListed && profile.bound.trusted:
		// Step 5, without the power of an untrusted list to allow (LAY-4).
		found = listed(plangate.Allow, plangate.RuleList, "allowed_tools", e)
	default:
		// Step 6.
		found = fallback(p, r.kind)
	}
	for _, c := range ceilings {
		found = tighten(found, c)
	}
	return found
}

// selectPolicy walks the policies in the order of SEL-1 until one wins. It
// also returns the ceilings that were met before, in that order.
func selectPolicy(p Policy, r reading) (winner verdict, ceilings []verdict, ok bool) {
	left := policies(p)
	for len(left) > 0 {
		i := first(left, r.call)
		b := left[i]
		left = append(left[:i:i], left[i+1:]...)
		answer, unknown := applies(p, r, b)
		action := b.body.Action.Value
		permissive := action == plangate.Allow
		switch {
		case answer == No:
			// It takes no part.
		case !b.trusted && (permissive || action == plangate.Hook):
			// LAY-4: counts as absent.
		case answer == Unknown && permissive:
			// CER-1: an allow must be certain.
		case answer == Unknown:
			// CER-2: a ceiling of ask (of hook for a hook), and the selection goes on.
			ceiling := plangate.Ask
			if action == plangate.Hook {
				ceiling = plangate.Hook
			}
			ceilings = append(ceilings, b.verdict(ceiling, unknown))
		case !b.trusted:
			// LAY-4: a ceiling of its own action.
			ceilings = append(ceilings, b.verdict(action, nil))
		default:
			return b.verdict(action, nil), ceilings, true
		}
	}
	return verdict{}, ceilings, false
}

// first returns the index of the policy that comes first in the order of SEL-1.
func first(blocks []block, call plangate.Call) int {
	best := 0
	for i := range blocks {
		if comesBefore(blocks[i], blocks[best], call) {
			best = i
		}
	}
	return best
}

// comesBefore is SEL-1, step by step.
func comesBefore(a, b block, call plangate.Call) bool {
	// Step 1.
	if d := compareSpecificity(specificity(a.body, call), specificity(b.body, call)); d != 0 {
		return d > 0
	}
	// Step 2.
	if ca, cb := len(a.body.Conditions) > 0, len(b.body.Conditions) > 0; ca != cb {
		return ca
	}
	// Step 3: the inner layer, profiles inside of all.
	if a.rank() != b.rank() {
		return a.rank() > b.rank()
	}
	if a.layer != b.layer {
		return a.layer > b.layer
	}
	// Step 4.
	if a.body.Action.Value != b.body.Action.Value {
		return a.body.Action.Value < b.body.Action.Value
	}
	// Step 5.
	return earlier(a.body, b.body)
}

// earlier is step 5 of SEL-1: file name, line, block name.
func earlier(a, b *dsl.Body) bool {
	if a.Header.File != b.Header.File {
		return a.Header.File < b.Header.File
	}
	if a.Header.Start.Line != b.Header.Start.Line {
		return a.Header.Start.Line < b.Header.Start.Line
	}
	return a.Name.Value < b.Name.Value
}

// specificity holds one rank for each field, in the order of SEL-1. It is the
// best of the combinations that match the call (SEL-2).
func specificity(body *dsl.Body, call plangate.Call) [4]fieldRank {
	return [4]fieldRank{
		bestRank(body.Match.Operation, call.Operation),
		bestRank(body.Match.Provider, call.Provider),
		setRank(len(body.Match.Risk)),
		setRank(len(body.Match.Kind)),
	}
}

// fieldRank says how specific one field is.
type fieldRank struct {
	form     int // 0 unset, 1 glob, 2 exact or set
	literals int // of a glob: bytes other than stars
	stars    int // of a glob: runs of stars
}

func bestRank(values []dsl.Lit[dsl.Pattern], name string) (best fieldRank) {
	for _, v := range values {
		if !matchesName(string(v.Value), name) {
			continue
		}
		if rank := rankOf(string(v.Value)); compareRank(rank, best) > 0 {
			best = rank
		}
	}
	return best
}

func rankOf(pattern string) fieldRank {
	if !isGlob(pattern) {
		return fieldRank{form: 2}
	}
	rank := fieldRank{form: 1, literals: len(strings.ReplaceAll(pattern, "*", ""))}
	for i := range len(pattern) {
		if pattern[i] == '*' && (i == 0 || pattern[i-1] != '*') {
			rank.stars++
		}
	}
	return rank
}

func setRank(values int) fieldRank {
	if values == 0 {
		return fieldRank{}
	}
	return fieldRank{form: 2}
}

func compareSpecificity(a, b [4]fieldRank) int {
	for i := range a {
		if d := compareRank(a[i], b[i]); d != 0 {
			return d
		}
	}
	return 0
}

// compareRank is positive if a is more specific.
func compareRank(a, b fieldRank) int {
	if a.form != b.form {
		return a.form - b.form
	}
	if a.literals != b.literals {
		return a.literals - b.literals
	}
	return b.stars - a.stars
}

// fallback is SEL-4: the innermost default of a trusted layer, which untrusted
// layers can only tighten (LAY-4).
func fallback(p Policy, kind plangate.Kind) verdict {
	found := verdict{action: plangate.Allow, rule: plangate.Rule{Type: plangate.RuleDefault, Name: kind.String()}}
	if kind == plangate.Resource {
		found.action = plangate.Ask
	}
	for _, l := range outerToInner(p.Layers) {
		if d := defaultOf(l, kind); d != nil && l.Trusted {
			found = *d
		}
	}
	for _, l := range outerToInner(p.Layers) {
		if d := defaultOf(l, kind); d != nil && !l.Trusted {
			found = tighten(found, *d)
		}
	}
	return found
}

func defaultOf(l Layer, kind plangate.Kind) *verdict {
	for _, d := range l.File.Defaults {
		if d.Kind == kind {
			return &verdict{action: d.Action.Value, rule: plangate.Rule{
				Type: plangate.RuleDefault, Name: kind.String(), Layer: l.Layer,
				File: d.Action.Range.File, Line: d.Action.Range.Start.Line,
			}}
		}
	}
	return nil
}
