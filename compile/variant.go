package compile

import (
	"slices"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// cells is a set of possible (kind, risk) combinations. A resource is never
// read_only and the other kinds always are (spec CAT-2), which leaves seven:
// resource with low, moderate, high, critical or an unknown risk; data_source;
// interactive.
type cells uint8

// cellList gives each bit of cells its kind and risk.
var cellList = [...]struct {
	kind plangate.Kind
	risk plangate.Risk
}{
	{plangate.Resource, plangate.Low},
	{plangate.Resource, plangate.Moderate},
	{plangate.Resource, plangate.High},
	{plangate.Resource, plangate.Critical},
	{plangate.Resource, plangate.RiskUnspecified},
	{plangate.DataSource, plangate.ReadOnly},
	{plangate.Interactive, plangate.ReadOnly},
}

// cellsOf returns the cells in which a match certainly holds.
func cellsOf(m *eval.Match) cells {
	var set cells
	for i, cell := range cellList {
		if (len(m.Kinds) == 0 || slices.Contains(m.Kinds, cell.kind)) &&
			(len(m.Risks) == 0 || slices.Contains(m.Risks, cell.risk)) {
			set |= 1 << i
		}
	}
	return set
}

// states is a set of all kind and risk combinations that a call can state,
// contradictions included: one bit for each kind and each risk or none.
type states uint32

// statesOf returns the states in which a match certainly holds.
func statesOf(m *eval.Match) states {
	var set states
	for kind := plangate.Resource; kind <= plangate.Interactive; kind++ {
		for risk := plangate.RiskUnspecified; risk <= plangate.Critical; risk++ {
			if kind != plangate.Resource && risk == plangate.RiskUnspecified {
				continue // judged as read_only (spec DEC-4)
			}
			if (len(m.Kinds) == 0 || slices.Contains(m.Kinds, kind)) &&
				(len(m.Risks) == 0 || slices.Contains(m.Risks, risk)) {
				set |= 1 << (int(kind-plangate.Resource)*(int(plangate.Critical)+1) + int(risk))
			}
		}
	}
	return set
}

// variant is one combination of a match's values (spec SEL-2).
type variant struct {
	eval.Combination
	entry  *entry
	cells  cells  // possible ones, for witnesses
	states states // all, for what is said of every call
}

func variantsOf(e *entry) []variant {
	if e.variants == nil {
		e.variants = expand(e)
	}
	return e.variants
}

func expand(e *entry) []variant {
	possible, all := cellsOf(&e.rule.Match), statesOf(&e.rule.Match)
	combinations := e.rule.Match.Combinations()
	out := make([]variant, len(combinations))
	for i, c := range combinations {
		out[i] = variant{c, e, possible, all}
	}
	return out
}

// overlap returns a call that both variants match, or nil. With a catalog that
// knows the names, only its kind and risk count.
func (c *compiler) overlap(a, b *variant) *plangate.Call {
	if !shareProfile(a.entry, b.entry) {
		return nil
	}
	operation, ok := a.Operation.Overlap(&b.Operation)
	if !ok {
		return nil
	}
	provider, ok := a.Provider.Overlap(&b.Provider)
	if !ok {
		return nil
	}
	common := a.cells & b.cells
	call := &plangate.Call{Provider: provider, Operation: operation, Profile: commonProfile(a.entry, b.entry)}
	if known, ok := c.Catalog.Find(provider, operation); ok {
		common &= cellsOf(&eval.Match{Kinds: []plangate.Kind{known.Kind}, Risks: []plangate.Risk{known.Risk}})
	}
	for i, cell := range cellList {
		if common&(1<<i) != 0 {
			call.Kind, call.Risk = cell.kind, cell.risk
			return nameWitness(call)
		}
	}
	return nil
}

// finishWitness fills in what a witness may have at will: a kind and a risk that
// go together (spec CAT-2), and a name.
func finishWitness(call *plangate.Call) *plangate.Call {
	switch {
	case call.Kind != plangate.KindUnspecified:
	case call.Risk == plangate.ReadOnly:
		call.Kind = plangate.DataSource
	default:
		call.Kind = plangate.Resource
	}
	switch {
	case call.Risk != plangate.RiskUnspecified:
	case call.Kind == plangate.Resource:
		call.Risk = plangate.Moderate
	default:
		call.Risk = plangate.ReadOnly
	}
	return nameWitness(call)
}

// nameWitness gives a witness that may have any operation one.
func nameWitness(call *plangate.Call) *plangate.Call {
	call.ID = "witness"
	if call.Operation == "" {
		call.Operation = "any_operation"
	}
	return call
}

// shareProfile reports whether two rules can apply under one profile.
func shareProfile(a, b *entry) bool {
	return len(a.rule.Profiles) == 0 || len(b.rule.Profiles) == 0 || commonProfile(a, b) != ""
}

// commonProfile is a profile under which both apply, or "" for none or any.
func commonProfile(a, b *entry) string {
	switch {
	case len(a.rule.Profiles) == 0 && len(b.rule.Profiles) == 0:
		return ""
	case len(a.rule.Profiles) == 0:
		return b.rule.Profiles[0]
	case len(b.rule.Profiles) == 0:
		return a.rule.Profiles[0]
	}
	for _, name := range a.rule.Profiles {
		if slices.Contains(b.rule.Profiles, name) {
			return name
		}
	}
	return ""
}
