package compile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// Bounds of conflicting pairs: how many are listed, and how many are counted.
const (
	maxConflicts        = 100
	maxCountedConflicts = 10_000
)

// conflicts collects the pairs of policies that nothing orders (spec SEL-3).
type conflicts struct {
	c     *compiler
	seen  map[[2]*entry]bool
	pairs []conflict
	full  bool // there are more than are counted
}

type conflict struct {
	first, second *entry // in the order of the text
	witness       *plangate.Call
}

// findConflicts reports all conflicts. Policies without globs meet by hash,
// globs by their literal ends.
func (c *compiler) findConflicts() {
	found := conflicts{c: c, seen: map[[2]*entry]bool{}}
	exact := map[exactKey][]*entry{}
	globs := map[globKey][]globVariant{}
	var order []globKey // so that the same pairs are counted each time
	enter := func(key globKey, g globVariant) {
		if globs[key] == nil {
			order = append(order, key)
		}
		globs[key] = append(globs[key], g)
	}
	for _, e := range c.policies {
		if e.expired || !e.trusted || len(e.rule.Conditions) > 0 {
			continue // untrusted policies are ceilings, which need no order
		}
		for _, v := range variantsOf(e) {
			switch {
			case v.Operation.IsGlob():
				enter(globKey{scope: scopeOf(e)}, newGlobVariant(v, v.Operation.String()))
			case v.Provider.IsGlob():
				enter(globKey{scopeOf(e), v.Operation.String(), true}, newGlobVariant(v, v.Provider.String()))
			default:
				found.meetExact(exact, &v)
			}
		}
	}
	for _, key := range order {
		meetGlobs(globs[key], found.tryGlobs)
	}
	found.report()
}

// scope keeps apart policies that no conflict can connect.
type scope struct {
	layer    plangate.Layer
	profiled bool
}

func scopeOf(e *entry) scope { return scope{e.layer, len(e.rule.Profiles) > 0} }

// exactKey is a full match without globs; empty and zero fields are unset.
type exactKey struct {
	scope               scope
	profile             string
	operation, provider string
	risk                plangate.Risk
	kind                plangate.Kind
}

// meetExact enters a variant under every combination of its values. Whoever
// stands there already is in conflict with it.
func (f *conflicts) meetExact(exact map[exactKey][]*entry, v *variant) {
	key := exactKey{scope: scopeOf(v.entry), operation: v.Operation.String(), provider: v.Provider.String()}
	for _, key.profile = range orUnset(v.entry.rule.Profiles) {
		for _, key.risk = range orUnset(v.entry.rule.Match.Risks) {
			for _, key.kind = range orUnset(v.entry.rule.Match.Kinds) {
				if f.full {
					return
				}
				for _, other := range exact[key] {
					f.add(other, v.entry, key.witness())
				}
				exact[key] = append(exact[key], v.entry)
			}
		}
	}
}

// orUnset returns the values of a field, or its zero value for "unset".
func orUnset[T any](values []T) []T {
	if len(values) == 0 {
		return make([]T, 1)
	}
	return values
}

func (k exactKey) witness() *plangate.Call {
	return finishWitness(&plangate.Call{
		Provider: k.provider, Operation: k.operation, Profile: k.profile, Risk: k.risk, Kind: k.kind,
	})
}

// globKey says which globs can conflict: operation globs of a scope, or
// provider globs beside the same operation.
type globKey struct {
	scope     scope
	operation string
	provider  bool
}

// tryGlobs tests two variants with globs; it returns false when enough is found.
func (f *conflicts) tryGlobs(a, b *variant) bool {
	if a.entry != b.entry && !ordered(a, b) {
		if witness := rawOverlap(a, b); witness != nil {
			f.add(a.entry, b.entry, witness)
		}
	}
	return !f.full
}

// ordered reports whether step 1 of SEL-1 orders two variants for a better
// reason than two globs of which neither is narrower.
func ordered(a, b *variant) bool {
	for _, field := range [][2]*eval.Pattern{{&a.Operation, &b.Operation}, {&a.Provider, &b.Provider}} {
		if p, q := field[0], field[1]; p.CompareSpecificity(q) != 0 {
			return !p.IsGlob() || !q.IsGlob() || p.Narrower(q) || q.Narrower(p)
		}
	}
	return a.RiskSet != b.RiskSet || a.KindSet != b.KindSet
}

// rawOverlap returns a call that both variants match, whatever a catalog says.
func rawOverlap(a, b *variant) *plangate.Call {
	if !shareProfile(a.entry, b.entry) {
		return nil
	}
	operation, ok := a.Operation.Overlap(&b.Operation)
	provider, ok2 := a.Provider.Overlap(&b.Provider)
	risk, ok3 := common(a.entry.rule.Match.Risks, b.entry.rule.Match.Risks)
	kind, ok4 := common(a.entry.rule.Match.Kinds, b.entry.rule.Match.Kinds)
	if !ok || !ok2 || !ok3 || !ok4 {
		return nil
	}
	return finishWitness(&plangate.Call{
		Provider: provider, Operation: operation, Profile: commonProfile(a.entry, b.entry),
		Risk: risk, Kind: kind,
	})
}

// common returns a value of both lists, where an empty list has all values.
func common[T comparable](a, b []T) (value T, ok bool) {
	switch {
	case len(a) == 0 && len(b) == 0:
		return value, true
	case len(a) == 0:
		return b[0], true
	case len(b) == 0:
		return a[0], true
	}
	for _, value := range a {
		if slices.Contains(b, value) {
			return value, true
		}
	}
	return value, false
}

func (f *conflicts) add(a, b *entry, witness *plangate.Call) {
	if b.number < a.number {
		a, b = b, a
	}
	if f.full || a == b || f.seen[[2]*entry{a, b}] {
		return
	}
	if len(f.pairs) == maxCountedConflicts {
		f.full = true
		return
	}
	f.seen[[2]*entry{a, b}] = true
	f.pairs = append(f.pairs, conflict{a, b, witness})
}

// report lists the first pairs by place, and says how many there are.
func (f *conflicts) report() {
	slices.SortFunc(f.pairs, func(a, b conflict) int {
		return cmp.Or(cmp.Compare(a.second.number, b.second.number), cmp.Compare(a.first.number, b.first.number))
	})
	listed := f.pairs[:min(len(f.pairs), maxConflicts)]
	for _, pair := range listed {
		first, second := pair.first.body, pair.second.body
		f.c.report(plangate.Diagnostic{
			Code:    "conflict",
			Summary: "Two policies conflict",
			Detail: fmt.Sprintf("Nothing orders policies %q and %q: for a call that both match, neither is more specific. "+
				"Make one match narrower, join them, or remove one.", first.Name.Value, second.Name.Value),
			Range:   second.Header,
			Context: &second.Range,
			Related: []plangate.Related{{Message: fmt.Sprintf("conflicts with policy %q", first.Name.Value), Range: first.Header}},
			Witness: pair.witness,
		})
	}
	if len(f.pairs) > len(listed) {
		count := fmt.Sprint(len(f.pairs))
		if f.full {
			count = "more than " + count
		}
		last := listed[len(listed)-1].second.body
		f.c.report(plangate.Diagnostic{
			Code:    "conflict",
			Summary: "There are more conflicts",
			Detail: fmt.Sprintf("There are %s conflicting pairs, of which the first %d are listed. Resolve them and check again.",
				count, len(listed)),
			Range: last.Header,
		})
	}
}
