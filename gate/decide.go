package gate

import (
	"context"
	"fmt"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/decisionhook"
	"github.com/plangate/plangate/eval"
)

// item makes one item: snapshot and decision.
func (p *planner) item(ctx context.Context, i int, refused *veto) Item {
	gate := p.session.gate
	item := Item{
		ID: newID(), Plan: p.plan.ID, Session: p.session.id, Turn: p.plan.Turn, Index: i,
		Call: p.calls[i], Asked: p.asked[i], Decision: DecisionPending,
		Policy: gate.fingerprint(p.policy.Table), Remember: []string{},
		Hold: p.settings.Approvals.Hold, Created: p.now.Add(time.Duration(i)), OnExpire: p.settings.Approvals.OnExpire,
	}
	item.Kind, item.Risk, item.Description = p.snapshot(&item.Call)
	item.Sensitive = p.policy.sensitive(&item.Call)
	if item.Digest = p.digest(i); p.faults[i] != nil {
		item.Call.Input = nil // not JSON, perhaps
		p.settle(&item, plangate.InvalidCall(item.Call.ID, p.faults[i]), EndPolicy)
		return item
	}
	item.ConcurrencyKey = gate.concurrencyKey(&item)
	if item.Call.Time.IsZero() {
		item.Call.Time = p.now
	}
	p.judge(ctx, &item, refused)
	if item.State == Waiting {
		item.Expires = p.now.Add(p.settings.Approvals.ExpiresIn)
	}
	return item
}

// judge decides an item: policy first, then what may only deny, then what may answer
// an ask (spec GAT-16).
func (p *planner) judge(ctx context.Context, item *Item, refused *veto) {
	decision := p.policy.Table.Decide(item.Call)
	if decision.Action() == plangate.Deny && decision.MatchedAction() != plangate.Hook {
		p.settle(item, decision, EndPolicy)
		return
	}
	if refused != nil {
		p.settle(item, decision, "")
		denyBy(item, EndHook, "hook-veto:"+refused.name, refused.reason)
		return
	}
	if decision.Action() == plangate.Allow && len(p.memory.denied) == 0 {
		p.settle(item, decision, "")
		return
	}
	trace := p.policy.Table.Explain(item.Call)
	keys := p.policy.remember(&trace, item)
	if actor, ok := p.memory.denial(keys); ok {
		p.settle(item, decision, "")
		denyBy(item, EndHuman, item.DecidedBy+"+session:"+actor, "")
		return
	}
	if decision.MatchedAction() == plangate.Hook {
		p.askHook(ctx, item, decision)
	} else {
		p.settle(item, decision, "")
	}
	if item.State == Waiting {
		item.Remember = keys
		p.answerFromMemory(item, &trace)
	}
}

// answerFromMemory applies an allow for the session to an item that waits, unless a
// guard asks or the input is not what the operation accepts.
func (p *planner) answerFromMemory(item *Item, trace *eval.Trace) {
	actor, ok := p.memory.allowance(item.Remember)
	if !ok || isGuarded(trace) || p.session.gate.checkInput(p.policy, item) != nil {
		return
	}
	item.State, item.Decision = Ready, DecisionAllow
	item.DecidedBy += "+session:" + actor
	item.Remember = []string{}
}

// settle applies a decision of policy to an item.
func (p *planner) settle(item *Item, decision plangate.Decision, ending Ending) {
	item.Outcome, item.DecidedBy = decision.Outcome(), decision.DecidedBy()
	switch decision.Action() {
	case plangate.Allow:
		item.State, item.Decision = Ready, DecisionAllow
	case plangate.Ask:
		item.State, item.Decision = Waiting, DecisionAsk
	default:
		denyBy(item, ending, item.DecidedBy, "")
	}
}

// denyBy denies an item. The reason is what a hook or human says, and may be empty.
func denyBy(item *Item, ending Ending, by, reason string) {
	item.State, item.Decision = Denied, DecisionDeny
	item.Ending, item.DecidedBy = ending, by
	item.Text = denialText(item, reason)
	item.Ended = item.Created
}

// askHook asks the decision hook about an item whose rule says hook. Without a hook,
// what holds until it answers holds for good.
func (p *planner) askHook(ctx context.Context, item *Item, decision plangate.Decision) {
	p.settle(item, decision, EndPolicy)
	gate := p.session.gate
	if p.policy.Ask == nil {
		return
	}
	result := p.policy.Ask.Decide(ctx, decisionhook.Question{
		ID: item.Call.ID, Session: item.Session, Turn: item.Turn, Item: item.ID, Call: item.Call, Decision: decision,
	})
	if result.Err != nil {
		gate.config.Report(fmt.Errorf("gate: decision hook on call %q: %w", item.Call.ID, result.Err))
	}
	by := decision.DecidedBy() + "+hook:" + hookName
	switch result.Answer.Decision {
	case plangate.Allow:
		item.State, item.Decision, item.Ending, item.Text = Ready, DecisionAllow, "", ""
		item.DecidedBy, item.Note = by, quoted(result.Answer.Message)
	case plangate.Ask:
		item.DecidedBy = by // the state is that of an ask on this kind and profile already
		item.Prompt, item.Channel = clipText(result.Answer.Prompt), clipText(result.Answer.Channel)
		if item.State == Denied {
			denyBy(item, EndPolicy, by, "")
		}
	default:
		denyBy(item, EndHook, by, result.Answer.Message)
	}
}

// hookName stands in decided_by for the decision hook, of which a policy has one.
const hookName = "decision_hook"

// checkInput returns why the operation does not accept an item's input, or nil. What
// no catalog knows is not checked.
func (g *Gate) checkInput(policy Policy, item *Item) error {
	if policy.Catalog == nil {
		return nil
	}
	known, ok := policy.Catalog.Find(item.Call.Provider, item.Call.Operation)
	if !ok || len(item.Call.Input) == 0 {
		return nil
	}
	return known.CheckInput(item.Call.Input)
}
