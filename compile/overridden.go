package compile

import (
	"fmt"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// maxOverriding is how many overriding policies are named for one policy.
const maxOverriding = 3

// overridden is a deny or ask policy and the allow policies that outrank it.
type overridden struct {
	entry   *entry
	by      []*entry
	witness *plangate.Call // matched by entry and by[0]
}

// full reports whether no more allows are looked for.
func (o *overridden) full() bool { return len(o.by) == maxOverriding }

// restricting is one variant of a deny or ask.
type restricting struct {
	variant
	*overridden
}

// findOverridden reports deny and ask policies that a more specific allow
// outranks for some call. Guards are what such a policy may have been meant as.
func (c *compiler) findOverridden() {
	var all []*overridden
	x := newRestrictions()
	for _, e := range c.policies {
		if e.expired || !e.trusted || e.rule.Action == plangate.Allow || e.body.Match.Empty() {
			continue
		}
		o := &overridden{entry: e}
		all = append(all, o)
		for _, v := range variantsOf(e) {
			x.add(&restricting{v, o})
		}
	}
	if len(all) == 0 {
		return
	}
	for _, e := range c.policies {
		if e.expired || !e.trusted || len(e.rule.Conditions) > 0 || e.rule.Action != plangate.Allow {
			continue
		}
		for _, v := range variantsOf(e) {
			x.meet(&v, func(r *restricting) { c.tryOverride(r, &v) })
		}
	}
	for _, o := range all {
		if len(o.by) > 0 {
			c.reportOverridden(o)
		}
	}
}

// tryOverride notes that an allow outranks a restriction by specificity on a
// call that both match.
func (c *compiler) tryOverride(r *restricting, allow *variant) {
	if r.full() || r.cells&allow.cells == 0 || allow.CompareSpecificity(&r.Combination) >= 0 || exception(r, allow) {
		return
	}
	for _, e := range r.by {
		if e == allow.entry {
			return
		}
	}
	witness := c.overlap(&r.variant, allow)
	if witness == nil {
		return
	}
	witness.Time = c.Now
	if c.table.Decide(*witness).Action() != plangate.Allow {
		return // a guard or a list stands in the way
	}
	if len(r.by) == 0 {
		r.overridden.witness = witness
	}
	r.by = append(r.by, allow.entry)
}

// exception reports whether an allow lies wholly within an ask, which is how one
// writes "ask about all of these but that one". It needs no warning.
func exception(r *restricting, allow *variant) bool {
	return r.variant.entry.rule.Action != plangate.Deny &&
		allow.cells&^r.cells == 0 && r.Operation.Includes(&allow.Operation) && r.Provider.Includes(&allow.Provider)
}

func (c *compiler) reportOverridden(o *overridden) {
	body, allow := o.entry.body, o.by[0].body
	d := c.warn("overridden", body.Header, "A more specific allow outranks this policy",
		fmt.Sprintf("Policy %q says %s, but the more specific policy %q allows calls that both match. "+
			"If it must hold whatever else is written, make it a guard.",
			body.Name.Value, o.entry.rule.Action, allow.Name.Value))
	d.Context = &body.Range
	d.Witness = o.witness
	for _, e := range o.by {
		d.Related = append(d.Related, plangate.Related{
			Message: fmt.Sprintf("policy %q allows", e.body.Name.Value), Range: e.body.Header,
		})
	}
}

// restrictions finds those restrictions that an allow can outrank, without
// trying all of them.
type restrictions struct {
	byOperation map[string][]*restricting // exact operation
	byProvider  map[string][]*restricting // operation unset, exact provider
	wide        []*restricting            // operation globs, provider globs, all else
}

func newRestrictions() *restrictions {
	return &restrictions{byOperation: map[string][]*restricting{}, byProvider: map[string][]*restricting{}}
}

func exact(p *eval.Pattern) bool { return p.IsSet() && !p.IsGlob() }

func (x *restrictions) add(r *restricting) {
	switch operation, provider := r.Operation.String(), r.Provider.String(); {
	case exact(&r.Operation):
		x.byOperation[operation] = append(x.byOperation[operation], r)
	case !r.Operation.IsSet() && exact(&r.Provider):
		x.byProvider[provider] = append(x.byProvider[provider], r)
	default:
		x.wide = append(x.wide, r)
	}
}

// meet visits the restrictions that overlap an allow in their names or may do
// so, and drops those that have been outranked often enough.
func (x *restrictions) meet(allow *variant, visit func(*restricting)) {
	if exact(&allow.Operation) {
		visitOpen(x.byOperation, allow.Operation.String(), visit)
	}
	if exact(&allow.Provider) {
		visitOpen(x.byProvider, allow.Provider.String(), visit)
	} else {
		for provider := range x.byProvider {
			visitOpen(x.byProvider, provider, visit)
		}
	}
	x.wide = visitList(x.wide, visit)
}

func visitOpen(lists map[string][]*restricting, key string, visit func(*restricting)) {
	list, ok := lists[key]
	if !ok {
		return
	}
	if list = visitList(list, visit); len(list) == 0 {
		delete(lists, key)
	} else {
		lists[key] = list
	}
}

func visitList(list []*restricting, visit func(*restricting)) []*restricting {
	open := list[:0]
	for _, r := range list {
		visit(r)
		if !r.full() {
			open = append(open, r)
		}
	}
	return open
}
