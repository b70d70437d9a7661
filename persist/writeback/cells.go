package writeback

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/bind"
	"github.com/plangate/plangate/compile"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/when"
)

// cellKey names a cell.
type cellKey struct {
	provider, operation string
	kind                plangate.Kind
	risk                plangate.Risk
}

// difference compares two tables cell by cell. The block is what was added or
// taken away.
type difference struct {
	in            compile.Input // for the catalog
	before, after *eval.Table
	block         *compile.Block
}

// changed returns the cells that differ, sorted.
func (d *difference) changed() plangate.List[CellChange] {
	old, now := cellsOf(d.before), cellsOf(d.after)
	profile := strings.Join(d.block.Profiles, "")
	changed := plangate.List[CellChange]{}
	add := func(key cellKey) {
		c := CellChange{
			Provider: key.provider, Operation: key.operation, Kind: key.kind, Risk: key.risk, Profile: profile,
			Before: d.answer(d.before, old, key), After: d.answer(d.after, now, key),
		}
		b, was := old[key]
		a, is := now[key]
		if (a == nil || b == nil || profile != "") && d.silent(key) {
			depends := c.After.Depends
			c.After = c.Before
			c.After.Depends = depends
		}
		depends := was && is && c.Before.Depends != c.After.Depends || // and its own cell has another condition in any case
			intended(d.block, &c) && (c.Before.Depends || c.After.Depends)
		if depends && !d.foreign(&c) || c.Before.Action != c.After.Action || c.Before.DecidedBy != c.After.DecidedBy {
			changed = append(changed, c)
		}
	}
	for key := range now {
		add(key)
	}
	for key := range old {
		if _, both := now[key]; !both {
			add(key)
		}
	}
	slices.SortFunc(changed, func(a, b CellChange) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Operation, b.Operation),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Risk, b.Risk))
	})
	return changed
}

// foreign reports whether the block is in a cell without ever being what
// answers: with an unknown risk no allow for a known one applies, and a block
// for calls without a provider has a condition that says so.
func (d *difference) foreign(c *CellChange) bool {
	return c.Risk == plangate.RiskUnspecified && d.block.Risk != plangate.RiskUnspecified ||
		c.Provider != "" && d.block.Provider == "" && d.block.When != ""
}

func cellsOf(table *eval.Table) map[cellKey]*plangate.Outcome {
	cells := map[cellKey]*plangate.Outcome{}
	for cell := range table.Cells() {
		cells[cellKey{cell.Provider, cell.Operation, cell.Kind, cell.Risk}] = cell.Outcome
	}
	return cells
}

// answer is what a table says of a cell. One that it has no row for, or that
// depends on more, answers as for a call without arguments.
func (d *difference) answer(table *eval.Table, cells map[cellKey]*plangate.Outcome, key cellKey) CellAnswer {
	outcome, named := cells[key]
	profile := strings.Join(d.block.Profiles, "")
	if outcome != nil && profile == "" {
		return CellAnswer{Action: outcome.Action, MatchedAction: outcome.MatchedAction, DecidedBy: outcome.DecidedBy}
	}
	decision := table.Decide(plangate.Call{
		Provider: key.provider, Operation: key.operation, Kind: key.kind, Risk: key.risk, Profile: profile,
	})
	return CellAnswer{
		Action: decision.Action(), MatchedAction: decision.MatchedAction(), DecidedBy: decision.DecidedBy(),
		Depends: named && outcome == nil,
	}
}

// silent reports whether no call tells what a cell says: a call that contradicts
// the catalog, or leaves something out that it knows, meets other cells too.
func (d *difference) silent(key cellKey) bool {
	known := compile.Known(d.in, key.provider, key.operation)
	return known != nil && (key.kind != known.Kind || key.risk != known.Risk)
}

// intended reports whether a block may change a cell. A risk that is not known
// may be the one of the block.
func intended(block *compile.Block, cell *CellChange) bool {
	return cell.Operation == block.Operation && cell.Provider == block.Provider && cell.Kind == block.Kind &&
		(block.Risk == plangate.RiskUnspecified || cell.Risk == plangate.RiskUnspecified || cell.Risk == block.Risk)
}

// lifts returns a deny or hook policy that would no longer have the last word
// on some call that the block matches, or nil. It is exact for matches, layers,
// profiles and ends, and errs on the side of finding one for conditions that the
// block does not hold fast.
func lifts(p *policy, block *compile.Block, call plangate.Call, now time.Time) *eval.Rule {
	binder := p.input.Binder
	if binder == nil {
		binder = bind.Binder{When: when.Language{}}
	}
	l := lifting{
		block: block, binder: binder, layer: p.input.Layers[p.index].Layer,
		call: call, readings: binder.Read(call, compile.Known(p.input, call.Provider, call.Operation)),
	}
	if len(block.Profiles) > 0 {
		l.layer = plangate.LayerProfile
	}
	for rule := range p.table.Rules() {
		strict := rule.Action == plangate.Deny || rule.Action == plangate.Hook
		over := !rule.NotAfter.IsZero() && now.After(rule.NotAfter)
		if rule.Type != plangate.RulePolicy || !strict || rule.Untrusted || over {
			continue // guards add up, and untrusted rules are ceilings: nothing lifts them
		}
		if l.meets(&rule) && !l.outranked(&rule) && !l.excluded(&rule) {
			return &rule
		}
	}
	return nil
}

// lifting compares deny policies with a block.
type lifting struct {
	block    *compile.Block
	binder   eval.Binder
	layer    plangate.Layer
	call     plangate.Call
	readings eval.Readings
}

// meets reports whether a call can match both, by names, kind, risk and profile.
func (l *lifting) meets(rule *eval.Rule) bool {
	m, b := &rule.Match, l.block
	fits := func(c eval.Combination) bool { return c.Fits(b.Operation, b.Provider) }
	return slices.ContainsFunc(m.Combinations(), fits) &&
		(len(m.Kinds) == 0 || slices.Contains(m.Kinds, b.Kind)) &&
		(len(m.Risks) == 0 || b.Risk == plangate.RiskUnspecified || slices.Contains(m.Risks, b.Risk)) &&
		(len(rule.Profiles) == 0 || len(b.Profiles) == 0 || slices.Contains(rule.Profiles, b.Profiles[0]))
}

// outranked reports whether the rule comes before the block wherever both
// apply (spec SEL-1).
func (l *lifting) outranked(rule *eval.Rule) bool {
	mine := (&eval.Match{
		Operations: []string{l.block.Operation}, Providers: nonZero(l.block.Provider),
		Risks: nonZero(l.block.Risk), Kinds: nonZero(l.block.Kind),
	}).Combinations()[0]
	layer := rule.Layer
	if len(rule.Profiles) > 0 {
		layer = plangate.LayerProfile
	}
	for _, theirs := range rule.Match.Combinations() {
		if !theirs.Fits(l.block.Operation, l.block.Provider) {
			continue
		}
		specific := theirs.CompareSpecificity(&mine)
		bound := pins(l.block) || l.block.When != ""
		switch {
		case specific < 0, specific == 0 && layer > l.layer,
			specific == 0 && layer == l.layer && (len(rule.Conditions) > 0 || !bound):
		default:
			return false
		}
	}
	return true
}

func nonZero[T comparable](value T) []T {
	var zero T
	if value == zero {
		return nil
	}
	return []T{value}
}

// excluded reports whether a condition of the rule, on something that the block
// holds fast, is false for the call and therefore for all calls of the block.
func (l *lifting) excluded(rule *eval.Rule) bool {
	held := map[string]bool{
		"command": len(l.block.Command) > 0, "path": len(l.block.Path) > 0 && len(l.block.Command) == 0, "host": len(l.block.Host) > 0,
	}
	for i, source := range rule.Conditions {
		if !held[source.Type] {
			continue
		}
		condition, err := l.binder.Bind(rule, i)
		if err != nil {
			continue
		}
		never := true
		for item := range l.readings.Items() {
			never = never && condition.Test(l.readings, item, rule.Action) == eval.No
		}
		if never {
			return true
		}
	}
	return false
}
