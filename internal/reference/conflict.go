package reference

import (
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
)

// Conflicts returns the pairs of policies that SEL-3 forbids, each pair once,
// in the order of the layers and files.
func Conflicts(p Policy) [][2]*dsl.Policy {
	type placed struct {
		policy *dsl.Policy
		layer  plangate.Layer
	}
	var all []placed
	for _, l := range p.Layers {
		if !l.Trusted {
			continue // untrusted policies are ceilings, which need no order
		}
		for _, policy := range l.File.Policies {
			all = append(all, placed{policy, l.Layer})
		}
	}
	var pairs [][2]*dsl.Policy
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.layer == b.layer && inConflict(p, a.policy, b.policy) {
				pairs = append(pairs, [2]*dsl.Policy{a.policy, b.policy})
			}
		}
	}
	return pairs
}

// inConflict is SEL-3 for two policies of one file layer.
func inConflict(p Policy, a, b *dsl.Policy) bool {
	switch {
	case expired(p, a) || expired(p, b):
		return false
	case len(a.Conditions) > 0 || len(b.Conditions) > 0:
		return false
	case !shareProfile(a, b):
		return false
	}
	// SEL-2: a list is one policy for each combination of its values.
	for _, ca := range combinations(&a.Match) {
		for _, cb := range combinations(&b.Match) {
			if ca.overlaps(cb) && !ordered(ca, cb) {
				return true
			}
		}
	}
	return false
}

func expired(p Policy, policy *dsl.Policy) bool {
	return policy.Expires != nil && !p.Now.IsZero() && p.Now.After(policy.Expires.Value)
}

// shareProfile: both without profiles, or both with a common one.
func shareProfile(a, b *dsl.Policy) bool {
	if len(a.Profiles) == 0 || len(b.Profiles) == 0 {
		return len(a.Profiles) == len(b.Profiles)
	}
	return slices.ContainsFunc(a.Profiles, func(name dsl.Lit[string]) bool {
		return contains(b.Profiles, name.Value)
	})
}

// combination is a match with at most one value in each field; nil is unset.
type combination struct {
	operation, provider *string
	risk                *plangate.Risk
	kind                *plangate.Kind
}

func combinations(m *dsl.Match) []combination {
	var all []combination
	for _, operation := range choices(m.Operation) {
		for _, provider := range choices(m.Provider) {
			for _, risk := range choices(m.Risk) {
				for _, kind := range choices(m.Kind) {
					all = append(all, combination{text(operation), text(provider), risk, kind})
				}
			}
		}
	}
	return all
}

func choices[T any](values []dsl.Lit[T]) []*T {
	if len(values) == 0 {
		return []*T{nil}
	}
	var all []*T
	for i := range values {
		all = append(all, &values[i].Value)
	}
	return all
}

func text(p *dsl.Pattern) *string {
	if p == nil {
		return nil
	}
	s := string(*p)
	return &s
}

// overlaps reports whether one call can match both.
func (c combination) overlaps(d combination) bool {
	return namesOverlap(c.operation, d.operation) && namesOverlap(c.provider, d.provider) &&
		(c.risk == nil || d.risk == nil || *c.risk == *d.risk) &&
		(c.kind == nil || d.kind == nil || *c.kind == *d.kind)
}

func namesOverlap(a, b *string) bool { return a == nil || b == nil || patternsOverlap(*a, *b) }

// ordered reports whether step 1 of SEL-1 orders two overlapping combinations
// for a better reason than two globs of which neither is narrower.
func ordered(c, d combination) bool {
	for _, field := range [][2]*string{{c.operation, d.operation}, {c.provider, d.provider}} {
		a, b := field[0], field[1]
		if compareRank(textRank(a), textRank(b)) == 0 {
			continue
		}
		bothGlobs := a != nil && b != nil && isGlob(*a) && isGlob(*b)
		return !bothGlobs || narrower(*a, *b) || narrower(*b, *a)
	}
	return (c.risk == nil) != (d.risk == nil) || (c.kind == nil) != (d.kind == nil)
}

func textRank(pattern *string) fieldRank {
	if pattern == nil {
		return fieldRank{}
	}
	return rankOf(*pattern)
}

// narrower reports whether every name that a matches is matched by b, and not
// the other way round.
func narrower(a, b string) bool { return includes(b, a) && !includes(a, b) }

// includes reports whether outer matches every name that inner matches. A byte
// that occurs in neither pattern stands for "anything" in the place of the
// stars of inner: outer can only take it up with a star of its own, and that
// star then takes up anything.
func includes(outer, inner string) bool {
	return matchesName(outer, strings.ReplaceAll(inner, "*", "\x00"))
}

// patternsOverlap reports whether some name matches both patterns. It walks the
// product of the two automata.
func patternsOverlap(a, b string) bool {
	switch {
	case a == "" && b == "":
		return true
	case strings.HasPrefix(a, "*"):
		return patternsOverlap(a[1:], b) || b != "" && patternsOverlap(a, b[1:])
	case strings.HasPrefix(b, "*"):
		return patternsOverlap(b, a)
	case a == "" || b == "":
		return false
	default:
		return a[0] == b[0] && patternsOverlap(a[1:], b[1:])
	}
}
