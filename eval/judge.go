package eval

import (
	"github.com/plangate/plangate"
)

// verdict is what a rule, list or default makes of a call before any downgrade.
type verdict struct {
	by      *decider
	action  plangate.Action
	unknown unknownSet
}

// none is the verdict that tightens nothing.
var none = verdict{action: plangate.Allow}

// tighten returns the stricter of two verdicts; v at a tie (spec DEC-10).
func (v verdict) tighten(other verdict) verdict {
	if other.by != nil && other.action < v.action {
		return other
	}
	return v
}

// judge decides one part of a call: one reading of its kind and risk, one item.
type judge struct {
	table     *Table
	operation string
	provider  string
	kind      plangate.Kind // never unspecified
	risk      plangate.Risk // unspecified if unknown
	profile   *profile      // nil without lists
	grants    *heldGrants   // nil while cells are precomputed
	stranger  bool          // nobody knows the call's profile (spec PRF-3)
	ambiguous bool          // the name can be split in several ways (spec DEC-6)
	stages    *stages
	// profileName is the call's profile. Cells are precomputed for calls without.
	profileName string

	// call is nil while the table precomputes its cells. Whatever would need it
	// sets dynamic instead, and the result is thrown away.
	call    *plangate.Call
	dynamic bool
	// The row being precomputed stands for all operations or providers that no
	// other row names.
	anyOperation, anyProvider bool

	evidence *evidence
	item     int
}

// evidence is shared by the parts of a call. It stands behind a pointer, so that
// what conditions may keep does not move the judge to the heap.
type evidence struct {
	known    *Operation // of the catalog, or nil
	readings Readings   // nil until a condition asks
}

// decide follows spec §5 and §4: lists, policies, defaults, then guards.
func (j *judge) decide() verdict {
	v, final := j.consultLists()
	if !final {
		v = j.choose()
	}
	if j.stranger {
		v = v.tighten(verdict{by: &unknownProfileName, action: plangate.Ask})
	}
	if j.ambiguous {
		v = v.tighten(verdict{by: &ambiguousName, action: plangate.Ask})
	}
	return v.tighten(j.guard()).tighten(j.builtin())
}

// consultLists covers the steps of spec PRF-1 that come before policies.
func (j *judge) consultLists() (v verdict, final bool) {
	p := j.profile
	if p != nil {
		for i := range p.deny {
			if p.deny[i].denies(j.provider, j.operation) {
				return verdict{by: &p.deny[i].decider, action: plangate.Deny}, true
			}
		}
	}
	if g := j.heldGrant(); g != nil {
		return verdict{by: &g.decider, action: plangate.Allow}, true
	}
	if p != nil && p.allowed != nil && !p.allowed.allows(j.provider, j.operation) {
		return verdict{by: &p.allowed.decider, action: plangate.Deny}, true
	}
	return none, false
}

// heldGrant returns the first held grant that the call is an instance of, or nil.
func (j *judge) heldGrant() *grant {
	for _, list := range j.grants.lists() {
		for i := range list {
			if j.grants.keeps(list[i].Name) && j.test(&list[i].condition, plangate.Allow) == Yes {
				return &list[i]
			}
		}
	}
	return nil
}

// choose walks the policies in order of precedence until one wins (spec SEL-1).
// Unknown restrictive policies and policies of untrusted layers do not win but
// leave a ceiling (spec CER-2, LAY-4). The ceiling of an unknown hook is hook:
// were it ask, an unknown hook would be stricter than a certain one, and the
// order of two hooks in a file would matter.
func (j *judge) choose() verdict {
	ceiling := none
	for s := range j.stages {
		if j.stages[s] == nil {
			continue
		}
		policies := j.stages[s].policies
		for i := range policies {
			c := &policies[i]
			if c.source.Untrusted && c.action >= plangate.Hook {
				continue
			}
			truth, unknown := j.applies(c)
			switch {
			case truth == No || truth == Unknown && !c.action.Restrictive():
			case truth == Unknown:
				ceiling = ceiling.tighten(verdict{&c.decider, max(c.action, plangate.Ask), unknown})
			case c.source.Untrusted:
				ceiling = ceiling.tighten(verdict{&c.decider, c.action, 0})
			default:
				return verdict{&c.decider, c.action, 0}.tighten(ceiling)
			}
			if j.dynamic {
				return none
			}
		}
	}
	return j.fallback().tighten(ceiling)
}

// fallback decides when no policy wins: the allowlist, else the default.
func (j *judge) fallback() verdict {
	if j.profile != nil {
		if allowed := j.profile.allowed; allowed != nil && !allowed.untrusted {
			return verdict{by: &allowed.decider, action: plangate.Allow}
		}
	}
	return j.table.defaults[j.kind-plangate.Resource]
}

// guard returns the verdict of the strictest guard that is used (spec GRD-1, GRD-2).
func (j *judge) guard() verdict {
	strictest := none
	for s := range j.stages {
		if j.stages[s] == nil {
			continue
		}
		guards := j.stages[s].guards
		for i := range guards {
			if v := j.tryGuard(&guards[i]); v.beats(strictest) {
				strictest = v
			}
			if j.dynamic {
				return none
			}
		}
	}
	return strictest
}

// builtin returns the verdict of the strictest built-in guard that is used (spec
// BLT-1). Cells are precomputed without; see [Table.needsArguments].
func (j *judge) builtin() verdict {
	strictest := none
	if j.call == nil || len(j.call.Input) == 0 {
		return strictest
	}
	for i := range j.table.builtins {
		if v := j.tryGuard(&j.table.builtins[i]); v.beats(strictest) {
			strictest = v
		}
	}
	return strictest
}

func (j *judge) tryGuard(c *candidate) verdict {
	switch truth, unknown := j.applies(c); truth {
	case Yes:
		return verdict{&c.decider, c.action, 0}
	case Unknown:
		return verdict{&c.decider, plangate.Ask, unknown}
	default:
		return none
	}
}

// beats orders the verdicts of guards: stricter, certain, outer layer, earlier.
func (v verdict) beats(other verdict) bool {
	switch {
	case v.by == nil || other.by == nil:
		return v.by != nil
	case v.action != other.action:
		return v.action < other.action
	case (v.unknown == 0) != (other.unknown == 0):
		return v.unknown == 0
	case v.by.Layer != other.by.Layer:
		return v.by.Layer < other.by.Layer
	default:
		return textOrder(&v.by.Rule, &other.by.Rule) < 0
	}
}

// applies answers whether a rule applies to the call (spec §2), with the names
// of the parts that are unknown.
func (j *judge) applies(c *candidate) (Truth, unknownSet) {
	if c.kinds&(1<<(j.kind-plangate.Resource)) == 0 {
		return No, 0
	}
	truth, unknown := Yes, unknownSet(0)
	switch {
	case j.risk == plangate.RiskUnspecified:
		if c.RiskSet {
			truth, unknown = Unknown, unknownRisk
		}
	case c.risks&(1<<(j.risk-plangate.ReadOnly)) == 0:
		return No, 0
	}
	if j.needsNames(c) {
		j.dynamic = true
		return No, 0
	}
	if !c.Fits(j.operation, j.provider) {
		return No, 0
	}
	if !c.dynamic {
		return truth, unknown
	}
	return j.appliesDynamic(c.rule, truth, unknown)
}

// needsNames reports, while cells are precomputed, whether c depends on a name
// that the row leaves open.
func (j *judge) needsNames(c *candidate) bool {
	return j.anyOperation && c.Operation.set || j.anyProvider && c.Provider.set
}

// appliesDynamic judges the parts of a rule that need the call itself.
func (j *judge) appliesDynamic(r *rule, truth Truth, unknown unknownSet) (Truth, unknownSet) {
	if !r.inProfiles(j.profileName) {
		return No, 0
	}
	if j.call == nil {
		j.dynamic = true
		return No, 0
	}
	switch end := r.source.NotAfter; {
	case end.IsZero():
	case j.call.Time.IsZero():
		truth, unknown = Unknown, unknown|unknownExpires
	case j.call.Time.After(end):
		return No, 0
	}
	for i := range r.conditions {
		switch j.test(&r.conditions[i], r.action) {
		case Yes:
		case No:
			return No, 0
		default:
			truth, unknown = Unknown, unknown|r.conditions[i].name
		}
	}
	return truth, unknown
}

// test asks one condition about the item. Readings are computed at most once.
func (j *judge) test(c *boundCondition, action plangate.Action) Truth {
	if j.call == nil {
		j.dynamic = true
		return No
	}
	if c.condition == nil {
		return Unknown
	}
	if j.evidence.readings == nil {
		j.evidence.readings = j.table.binder.Read(*j.call, j.evidence.known)
	}
	return c.condition.Test(j.evidence.readings, j.item, action)
}
