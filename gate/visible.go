package gate

import (
	"slices"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/eval"
)

// Mode restricts what a model is shown.
type Mode string

// The modes: everything, or nothing that changes anything.
const (
	ModeApply Mode = "apply"
	ModePlan  Mode = "plan"
)

// VisibleOperations returns the operations of the catalog that a model should be told
// of: not the resource operations in plan mode, and not those that policy denies
// whatever the arguments (spec GAT-38). Removing a tool is cleaner than denying it: the
// model cannot try. Operations that nobody catalogued are the caller's to judge.
//
// template carries what every call of the turn has: profile, session, caller, cwd,
// workspace and home.
func (g *Gate) VisibleOperations(mode Mode, template plangate.Call) []*catalog.Operation {
	policy := g.config.Policy()
	visible := []*catalog.Operation{}
	if policy.Catalog == nil {
		return visible
	}
	template.Time = g.now()
	for operation := range policy.Catalog.All() {
		if mode == ModePlan && operation.Kind == plangate.Resource {
			continue
		}
		call := template
		call.Provider, call.Operation, call.Input = operation.Provider, operation.Name, nil
		call.Kind, call.Risk = operation.Kind, operation.Risk
		if !alwaysDenied(policy.Table, call) {
			visible = append(visible, operation)
		}
	}
	return visible
}

// alwaysDenied reports whether no arguments could make a call anything else than
// denied: it is denied without any, and no allow, ask or hook was merely uncertain.
func alwaysDenied(table *eval.Table, call plangate.Call) bool {
	decision := table.Decide(call)
	if decision.Action() != plangate.Deny || decision.MatchedAction() == plangate.Hook {
		return false
	}
	if by := decision.Rule().Type; by == plangate.RuleGuard || by == plangate.RuleList {
		return true // nothing comes before these
	}
	trace := table.Explain(call)
	for _, part := range trace.Parts {
		if slices.ContainsFunc(part.Lists, func(step eval.ListStep) bool { return step.Rule.Type == plangate.RuleGrant }) {
			return false // a grant allows some arguments
		}
		for _, candidate := range append(part.Policies, part.Fallback) {
			if candidate.Action != plangate.Deny && candidate.Applies == eval.Unknown {
				return false
			}
		}
	}
	return true
}
