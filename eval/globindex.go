package eval

import "slices"

// globIndex finds the glob candidates that match a name without trying all of
// them: it looks up every literal prefix that the name has.
type globIndex struct {
	globs    *bucket
	policies prefixes
	guards   prefixes
}

// prefixes maps the literal text before the first star to positions in a list.
type prefixes struct {
	at      map[string][]int
	lengths []int // sorted lengths of the keys
}

func newGlobIndex(globs *bucket) globIndex {
	return globIndex{globs: globs, policies: newPrefixes(globs.policies), guards: newPrefixes(globs.guards)}
}

func newPrefixes(candidates []candidate) prefixes {
	p := prefixes{at: map[string][]int{}}
	for i := range candidates {
		prefix := candidates[i].Operation.glob.prefix
		p.at[prefix] = append(p.at[prefix], i)
		if !slices.Contains(p.lengths, len(prefix)) {
			p.lengths = append(p.lengths, len(prefix))
		}
	}
	slices.Sort(p.lengths)
	return p
}

// find returns the candidates that match, in their order.
func (x *globIndex) find(operation string) *bucket {
	return &bucket{
		policies: x.policies.find(x.globs.policies, operation),
		guards:   x.guards.find(x.globs.guards, operation),
	}
}

func (p *prefixes) find(candidates []candidate, operation string) []candidate {
	var places []int
	for _, n := range p.lengths {
		if n > len(operation) {
			break
		}
		for _, i := range p.at[operation[:n]] {
			if candidates[i].Operation.Matches(operation) {
				places = append(places, i)
			}
		}
	}
	slices.Sort(places)
	found := make([]candidate, len(places))
	for i, place := range places {
		found[i] = candidates[place]
	}
	return found
}
