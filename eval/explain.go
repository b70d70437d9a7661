package eval

import (
	"slices"

	"github.com/plangate/plangate"
)

// Explain returns how the decision on a call comes about. Its Decision is that
// of [Table.Decide] for the same call. It looks at every rule, so it takes time
// linear in their number, and it allocates.
func (t *Table) Explain(call plangate.Call) Trace {
	var memory scratch
	q := t.prepare(&call, &memory)
	trace := Trace{Layers: slices.Clone(t.source.Layers), Call: call, Items: []Item{}}
	trace.Call.Provider, trace.Call.Operation = q.provider, q.operation
	for _, p := range t.judgeAll(&q) {
		part := t.explainPart(&q, &p)
		if len(trace.Parts) == 0 || part.Decision.StricterThan(trace.Decision) {
			trace.Decision, trace.Decided = part.Decision, len(trace.Parts)
		}
		trace.Parts = append(trace.Parts, part)
	}
	if q.evidence.readings == nil && t.binder != nil { // no condition had to look
		q.evidence.readings = t.binder.Read(*q.call, q.evidence.known)
	}
	if readings := q.evidence.readings; readings != nil {
		for i := range readings.Items() {
			trace.Items = append(trace.Items, readings.Item(i))
		}
	}
	return trace
}

// judgedPart is a part with its verdict.
type judgedPart struct {
	judge
	reading reading
	verdict verdict
}

// judgeAll judges every part as Decide does, before anything is told: what is
// looked at for the telling could use up what readings are bounded to.
func (t *Table) judgeAll(q *inquiry) (parts []judgedPart) {
	for _, r := range q.readings[:q.count] {
		j := t.judge(q, r)
		for {
			parts = append(parts, judgedPart{j, r, j.decide()})
			if !j.next() {
				break
			}
		}
	}
	return parts
}

// explainPart tells what became of every rule that could have decided a part.
func (t *Table) explainPart(q *inquiry, p *judgedPart) Part {
	j, v := &p.judge, p.verdict
	decision := conclude(q, j, v)
	part := Part{Kind: p.reading.kind, Risk: p.reading.risk, Item: j.item, Source: p.reading.source, Decision: decision}
	var settled bool
	part.Lists, settled = j.explainLists()
	part.Policies = t.explainPolicies(j, v, settled)
	part.Fallback = j.explainFallback(v, settled)
	part.Guards = t.explainGuards(j, v)
	part.Builtins = j.explainBuiltins(v)
	return part
}

// explainLists lists what the profile's lists say, and whether one of them
// settles the matter before any policy.
func (j *judge) explainLists() (steps []ListStep, settled bool) {
	steps = []ListStep{}
	settles, final := j.consultLists()
	if j.profile != nil {
		for i := range j.profile.deny {
			l := &j.profile.deny[i]
			steps = append(steps, ListStep{l.Rule, l.denies(j.provider, j.operation), final && settles.by == &l.decider})
		}
	}
	for _, list := range j.grants.lists() {
		for i := range list {
			if g := &list[i]; j.grants.keeps(g.Name) {
				holds := j.test(&g.condition, plangate.Allow) == Yes
				steps = append(steps, ListStep{g.Rule, holds, final && settles.by == &g.decider})
			}
		}
	}
	if j.profile != nil && j.profile.allowed != nil {
		l := j.profile.allowed
		steps = append(steps, ListStep{l.Rule, l.allows(j.provider, j.operation), final && settles.by == &l.decider})
	}
	return steps, final
}

// matching returns the best matching combination of every rule of a sort whose
// names and kind fit (spec SEL-2). The risk may still be unknown.
func (t *Table) matching(j *judge, keep func(*rule) bool) []candidate {
	var found []candidate
	for i := range t.rules {
		r := &t.rules[i]
		if !keep(r) {
			continue
		}
		var best *candidate
		for _, c := range r.candidates() {
			if j.matches(&c) && (best == nil || c.CompareSpecificity(&best.Combination) < 0) {
				best = &c
			}
		}
		if best != nil {
			found = append(found, *best)
		}
	}
	return found
}

// matches reports whether a candidate's match fits or may fit.
func (j *judge) matches(c *candidate) bool {
	return c.kinds&(1<<(j.kind-plangate.Resource)) != 0 &&
		(j.risk == plangate.RiskUnspecified || c.risks&(1<<(j.risk-plangate.ReadOnly)) != 0) &&
		c.Fits(j.operation, j.provider)
}

func (t *Table) explainPolicies(j *judge, v verdict, settled bool) []Candidate {
	policies := t.matching(j, func(r *rule) bool { return !r.guards() })
	slices.SortFunc(policies, byPrecedence)
	out := make([]Candidate, len(policies))
	var winner *candidate
	for i := range policies {
		c := &policies[i]
		out[i] = j.candidate(c)
		e := &out[i]
		switch {
		case settled:
			e.Outcome, e.Why = Lost, WhyList
		case e.Outcome == DoesNotApply:
		case winner != nil:
			e.Outcome = Lost
			e.Why, _ = step(winner, c)
		case c.source.Untrusted || e.Applies == Unknown:
			e.Outcome, e.Why = Tightened, WhyWeaker
		default:
			winner = c
			e.Outcome = Chosen
		}
		e.win(v, &c.decider)
	}
	return out
}

// win marks the candidate that decided the part.
func (e *Candidate) win(v verdict, by *decider) {
	if v.by == by {
		e.Outcome, e.Why = Won, ""
	}
}

// candidate describes whether a rule applies, and if not, why.
func (j *judge) candidate(c *candidate) Candidate {
	truth, unknown := j.applies(c)
	e := Candidate{Rule: c.Rule, Action: c.action, Applies: truth, Unknown: unknown.names(), Notes: j.notes(c.rule)}
	switch {
	case c.source.Untrusted && !c.guards() && c.action >= plangate.Hook:
		e.Outcome, e.Why = DoesNotApply, WhyUntrusted
	case truth == No:
		e.Outcome, e.Why = DoesNotApply, j.whyNot(c.rule)
	case truth == Unknown && !c.action.Restrictive():
		e.Outcome, e.Why = DoesNotApply, WhyUncertain
	}
	return e
}

// notes gathers what the conditions of a rule have to tell.
func (j *judge) notes(r *rule) []string {
	notes := []string{}
	for i := range r.conditions {
		noter, ok := r.conditions[i].condition.(Noter)
		if ok && j.evidence.readings != nil {
			notes = append(notes, noter.Notes(j.evidence.readings, j.item, r.action)...)
		}
	}
	return notes
}

// whyNot tells which part of a rule is certainly false.
func (j *judge) whyNot(r *rule) Why {
	end := r.source.NotAfter
	switch {
	case !r.inProfiles(j.profileName):
		return WhyProfile
	case !end.IsZero() && !j.call.Time.IsZero() && j.call.Time.After(end):
		return WhyExpired
	default:
		return WhyFalse
	}
}

// explainFallback describes what stood by in case no policy won.
func (j *judge) explainFallback(v verdict, settled bool) Candidate {
	fallback := j.fallback()
	e := Candidate{
		Rule: fallback.by.Rule, Action: fallback.action, Applies: Yes,
		Unknown: []string{}, Notes: []string{}, Outcome: Lost, Why: WhyUnused,
	}
	if settled {
		e.Why = WhyList
		return e
	}
	e.win(v, fallback.by)
	return e
}

func (t *Table) explainGuards(j *judge, v verdict) []Candidate {
	guards := t.matching(j, func(r *rule) bool { return r.guards() && !r.standing() })
	slices.SortFunc(guards, func(a, b candidate) int { return textOrder(&a.Rule, &b.Rule) })
	out := make([]Candidate, len(guards))
	for i := range guards {
		out[i] = j.candidate(&guards[i])
		if out[i].Outcome != DoesNotApply {
			out[i].Outcome, out[i].Why = Tightened, WhyWeaker
		}
		out[i].win(v, &guards[i].decider)
	}
	return out
}

func (j *judge) explainBuiltins(v verdict) []Candidate {
	out := []Candidate{}
	add := func(by *decider) {
		e := Candidate{
			Rule: by.Rule, Action: plangate.Ask, Applies: Yes,
			Unknown: []string{}, Notes: []string{}, Outcome: Tightened, Why: WhyWeaker,
		}
		e.win(v, by)
		out = append(out, e)
	}
	if j.stranger {
		add(&unknownProfileName)
	}
	if j.ambiguous {
		add(&ambiguousName)
	}
	if len(j.call.Input) == 0 {
		return out
	}
	for i := range j.table.builtins {
		e := j.candidate(&j.table.builtins[i])
		if e.Outcome == DoesNotApply {
			continue
		}
		e.Outcome, e.Why = Tightened, WhyWeaker
		e.win(v, &j.table.builtins[i].decider)
		out = append(out, e)
	}
	return out
}
