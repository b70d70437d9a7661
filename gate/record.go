package gate

import (
	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
)

// entry returns the audit entry for a step in the life of an item. The decision in it
// is that of the item now, the rule and reason are those of the plan.
func (g *Gate) entry(event audit.Event, item *Item) audit.Entry {
	o := &item.Outcome
	e := audit.Entry{
		Event: event, Time: g.now(),
		Session: item.Session, Turn: item.Turn, Item: item.ID, CallID: item.Call.ID,
		Provider: item.Call.Provider, Operation: item.Call.Operation, Profile: item.Call.Profile,
		Kind: item.Kind.String(), Decision: actionOf(item.Decision), MatchedAction: o.MatchedAction,
		Downgrade: o.Downgrade, DecidedBy: item.DecidedBy, Rule: o.Rule, Reason: o.Reason, Unknown: o.Unknown,
		Policy: item.Policy, State: string(item.State), InputDigest: item.Digest, Input: item.Call.Input,
		Sensitive: item.Sensitive,
	}
	if item.Risk != plangate.RiskUnspecified {
		e.Risk = item.Risk.String()
	}
	if o.Rule.Type == plangate.RuleGrant {
		e.Grant = o.Rule.Name
	}
	if a := item.Answer; a != nil {
		e.Actor, e.Scope, e.Message = a.Actor, string(a.Scope), a.Message
	}
	return e
}

// sensitive returns the arguments that the schema of an operation calls secret.
func (p *Policy) sensitive(call *plangate.Call) []string {
	if p.Catalog == nil {
		return nil
	}
	if known, ok := p.Catalog.Find(call.Provider, call.Operation); ok && known.InputSchema != nil {
		return audit.SensitivePointers(known.InputSchema)
	}
	return nil
}

func actionOf(d Decision) plangate.Action {
	switch d {
	case DecisionAllow:
		return plangate.Allow
	case DecisionAsk:
		return plangate.Ask
	default:
		return plangate.Deny
	}
}
