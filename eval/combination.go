package eval

import "cmp"

// Combination is one combination of the operation and provider values of a
// match (spec SEL-2), with what else its specificity depends on.
type Combination struct {
	Operation, Provider Pattern
	RiskSet, KindSet    bool
}

// Combinations expands the lists of a match. There is at least one.
func (m *Match) Combinations() []Combination {
	operations, providers := patterns(m.Operations), patterns(m.Providers)
	out := make([]Combination, 0, len(operations)*len(providers))
	for _, operation := range operations {
		for _, provider := range providers {
			out = append(out, Combination{operation, provider, len(m.Risks) > 0, len(m.Kinds) > 0})
		}
	}
	return out
}

func patterns(values []string) []Pattern {
	if len(values) == 0 {
		return []Pattern{{}}
	}
	out := make([]Pattern, len(values))
	for i, value := range values {
		out[i] = NewPattern(value)
	}
	return out
}

// Size is how many combinations there are.
func (m *Match) Size() int { return max(1, len(m.Operations)) * max(1, len(m.Providers)) }

// Fits reports whether both names match.
func (c *Combination) Fits(operation, provider string) bool {
	return c.Operation.Matches(operation) && c.Provider.Matches(provider)
}

// CompareSpecificity is step 1 of spec SEL-1: negative if c is more specific.
func (c *Combination) CompareSpecificity(other *Combination) int {
	return cmp.Or(
		c.Operation.CompareSpecificity(&other.Operation),
		c.Provider.CompareSpecificity(&other.Provider),
		setFirst(c.RiskSet, other.RiskSet),
		setFirst(c.KindSet, other.KindSet),
	)
}

func setFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}
