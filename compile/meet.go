package compile

import (
	"cmp"
	"slices"
	"strings"
)

// globVariant is a variant with the literal ends of the glob it is indexed by.
type globVariant struct {
	variant
	prefix, suffix string
}

func newGlobVariant(v variant, glob string) globVariant {
	return globVariant{v, glob[:strings.IndexByte(glob, '*')], glob[strings.LastIndexByte(glob, '*')+1:]}
}

// meetGlobs calls try once for each pair of globs whose literal ends do not rule
// out that they overlap, until try returns false. Two globs with a prefix meet
// only if one prefix begins the other; a pair with an open beginning meets only
// if one suffix ends the other. So globs that have nothing to do with each
// other cost nothing.
func meetGlobs(globs []globVariant, try func(a, b *variant) bool) {
	var open, closed []*globVariant
	for i := range globs {
		if g := &globs[i]; g.prefix == "" {
			open = append(open, g)
		} else {
			closed = append(closed, g)
		}
	}
	byPrefix := func(g *globVariant) string { return g.prefix }
	bySuffix := func(g *globVariant) string { return reversed(g.suffix) }

	among := affixes{}
	for _, g := range sortedBy(closed, byPrefix) {
		if !among.meet(byPrefix(g), g, try) {
			return
		}
		among.add(byPrefix(g), g)
	}
	opened, all := affixes{}, affixes{}
	for _, g := range sortedBy(append(open, closed...), bySuffix) {
		others := &opened
		if g.prefix == "" {
			others = &all
		}
		if !others.meet(bySuffix(g), g, try) {
			return
		}
		if g.prefix == "" {
			opened.add(bySuffix(g), g)
		}
		all.add(bySuffix(g), g)
	}
}

// sortedBy sorts the shortest key first, so that whoever begins a key has been
// entered before it is looked up.
func sortedBy(globs []*globVariant, key func(*globVariant) string) []*globVariant {
	slices.SortStableFunc(globs, func(a, b *globVariant) int { return cmp.Compare(len(key(a)), len(key(b))) })
	return globs
}

func reversed(s string) string {
	bytes := []byte(s)
	slices.Reverse(bytes)
	return string(bytes)
}

// affixes holds globs by their key, and the lengths that occur.
type affixes struct {
	at      map[string][]*globVariant
	lengths []int // ascending
}

func (a *affixes) add(key string, g *globVariant) {
	if a.at == nil {
		a.at = map[string][]*globVariant{}
	}
	a.at[key] = append(a.at[key], g)
	if n := len(a.lengths); n == 0 || a.lengths[n-1] != len(key) {
		a.lengths = append(a.lengths, len(key))
	}
}

// meet tries g with every glob whose key begins the given one.
func (a *affixes) meet(key string, g *globVariant, try func(a, b *variant) bool) bool {
	for _, n := range a.lengths {
		for _, other := range a.at[key[:n]] {
			if !try(&other.variant, &g.variant) {
				return false
			}
		}
	}
	return true
}
