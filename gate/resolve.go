package gate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/eval"
)

// Verdict is a human's answer to an item that waits.
type Verdict struct {
	Decision plangate.Action `json:"decision"` // allow or deny
	Scope    Scope           `json:"scope"`    // "" is once
	// Digest is that of the item as it was shown. It is required: without it an answer
	// could be to anything.
	Digest string `json:"digest"`
	// CorrectedInput runs instead of the item's input; with allow only.
	CorrectedInput json.RawMessage `json:"corrected_input,omitempty"`
	// Actor says who answers, in up to MaxActorBytes of printable text. It is required.
	Actor string `json:"actor"`
	// Message is what the model sees as the result of a denied call, and what is
	// attached to the result of an allowed one.
	Message string `json:"message"`
}

// check refuses a verdict that says nothing or too much (rows V1, V2).
func (v *Verdict) check() error {
	scope, err := ParseScope(string(v.Scope))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrVerdict, err)
	case v.Decision != plangate.Allow && v.Decision != plangate.Deny:
		return fmt.Errorf("%w: the decision is %s; it is allow or deny", ErrVerdict, v.Decision)
	case v.Digest == "":
		return fmt.Errorf("%w: it has no digest of what was shown", ErrVerdict)
	case v.Actor == "" || !printable(v.Actor, MaxActorBytes):
		return fmt.Errorf("%w: the actor is empty, not printable or longer than %d bytes", ErrVerdict, MaxActorBytes)
	case !utf8.ValidString(v.Message) || len(v.Message) > MaxTextBytes:
		return fmt.Errorf("%w: the message is not UTF-8 or longer than %d bytes", ErrVerdict, MaxTextBytes)
	case v.CorrectedInput != nil && v.Decision != plangate.Allow:
		return fmt.Errorf("%w: a corrected input makes sense with allow only", ErrVerdict)
	}
	v.Scope = scope
	return nil
}

// Resolve applies a verdict to an item that waits (spec GAT-19 to GAT-31). Exactly one
// verdict wins, whatever process or machine it comes from. The same verdict by the same
// actor once more is not an error and changes nothing. On an error the item is as
// before, except for Expired and PolicyDenies: it is then denied.
//
// A verdict for always is written to the policy before it is applied; if it cannot be
// written it is not applied in any scope.
func (g *Gate) Resolve(ctx context.Context, id string, verdict Verdict) (Resolved, error) {
	if err := verdict.check(); err != nil {
		return Resolved{}, err
	}
	shown, err := g.Item(ctx, id)
	if err != nil {
		return Resolved{}, err
	}
	r := resolution{gate: g, ctx: ctx, policy: g.config.Policy(), verdict: verdict, session: shown.Session}
	mode := r.policy.Table.Settings().Approvals.Audit
	err = g.update(ctx, mode, func(tx Tx) ([]audit.Entry, error) { return r.apply(tx, id) })
	if errors.Is(err, errRepeated) {
		return Resolved{Item: r.item, Repeated: true}, nil
	}
	if err != nil && r.written != "" { // the transaction failed after it
		err = fmt.Errorf("%w; the policy was written to %s all the same, and policyctl undo takes it back", err, r.written)
	}
	if err != nil {
		return Resolved{}, err
	}
	return Resolved{Item: r.item}, r.settled
}

// Resolved is an item after a verdict.
type Resolved struct {
	Item Item `json:"item"`
	// Repeated says that the very same verdict had been applied before.
	Repeated bool `json:"repeated"`
}

// errRepeated ends a transaction for a verdict that is there already.
var errRepeated = errors.New("gate: the verdict is applied already")

// resolution is one try to apply a verdict.
type resolution struct {
	gate    *Gate
	ctx     context.Context
	policy  Policy
	verdict Verdict
	session string

	item      Item
	corrected string // digest of the corrected call, or ""
	written   string // where a verdict for always went
	settled   error  // what the caller is told although the transaction stands
}

// apply moves the item on, or returns why not. It locks the session before the item,
// as everything else does.
func (r *resolution) apply(tx Tx, id string) ([]audit.Entry, error) {
	r.settled = nil
	session, err := tx.Session(r.session)
	if err != nil {
		return nil, err
	}
	if r.item, err = tx.Item(id); err != nil {
		return nil, err
	}
	item, now := &r.item, r.gate.now()
	if item.State != Waiting {
		return nil, notPending(item, &r.verdict)
	}
	if !now.Before(item.Expires) {
		r.gate.deny(item, EndExpired, "expired")
		r.settled = &Expired{At: item.Expires}
		return r.put(tx, audit.ApprovalExpired)
	}
	if r.verdict.Digest != item.Digest {
		return nil, ErrStale
	}
	item.Answer = &Answer{
		Decision: r.verdict.Decision, Scope: r.verdict.Scope, Actor: r.verdict.Actor, Message: r.verdict.Message,
		Digest: r.verdict.Digest, CorrectedInput: r.verdict.CorrectedInput, At: now, Epoch: session.Epoch,
	}
	if r.verdict.Decision == plangate.Deny {
		err = r.deny()
	} else {
		err = r.allow()
	}
	if err != nil {
		return nil, err
	}
	return r.put(tx, audit.ApprovalAnswered)
}

func (r *resolution) put(tx Tx, event audit.Event) ([]audit.Entry, error) {
	entries := []audit.Entry{r.gate.entry(event, &r.item)}
	if r.item.Answer != nil && r.item.Answer.Written != "" {
		entries = append(entries, r.gate.entry(audit.PolicyWritten, &r.item))
	}
	return entries, tx.PutItem(r.item)
}

func (r *resolution) deny() error {
	item := &r.item
	if err := r.always(plangate.Deny, item.Call); err != nil {
		return err
	}
	denyBy(item, EndHuman, item.DecidedBy+"+approval:"+r.verdict.Actor, r.verdict.Message)
	item.Ended = item.Answer.At
	return nil
}

// allow decides the call once more, as it will run, under the policy in force now. A
// deny there wins (spec GAT-21).
func (r *resolution) allow() error {
	item := &r.item
	call := item.Call
	call.Time = item.Answer.At
	if r.verdict.CorrectedInput != nil {
		if err := r.correct(&call); err != nil {
			return err
		}
	}
	trace := r.policy.Table.Explain(call)
	if broken(trace.Decision) {
		return &PolicyBroken{Decision: trace.Decision}
	}
	if trace.Decision.Action() == plangate.Deny {
		item.Answer.Scope = ScopeOnce // it allows nothing, so there is nothing to remember
		item.Outcome = trace.Decision.Outcome()
		denyBy(item, EndPolicy, trace.Decision.DecidedBy()+"+approval:"+r.verdict.Actor, "")
		item.Ended = item.Answer.At
		r.settled = &PolicyDenies{Decision: trace.Decision}
		return nil
	}
	if r.verdict.Scope != ScopeOnce && isGuarded(&trace) {
		return errGuarded
	}
	if err := r.always(plangate.Allow, call); err != nil {
		return err
	}
	if r.verdict.CorrectedInput != nil {
		item.Original, item.Call.Input, item.Digest = item.Call.Input, call.Input, r.corrected
		item.Remember = r.policy.remember(&trace, item)
		item.ConcurrencyKey = r.gate.concurrencyKey(item)
	}
	item.State, item.Decision = Ready, DecisionAllow
	item.DecidedBy += "+approval:" + r.verdict.Actor
	item.Note = quoted(r.verdict.Message)
	return nil
}

// broken reports a decision that says nothing but that the policy does not load. It
// denies what is asked now, and must not end what waits: somebody may be saving a file.
func broken(decision plangate.Decision) bool {
	rule := decision.Rule()
	return rule.Type == plangate.RuleBuiltin && rule.Name == "policy_error"
}

// errGuarded refuses to remember an allow that a guard would ask about every time.
var errGuarded = &codedError{"would_loosen", "a guard or built-in rule asks about this call every time; it can be answered once only"}

// correct puts the corrected input into the call and checks it. An input that is
// refused leaves the item as it was.
func (r *resolution) correct(call *plangate.Call) error {
	call.Input = bytes.TrimSpace(r.verdict.CorrectedInput)
	item := r.item
	item.Call = *call
	text, err := digest(call, item.Kind, item.Risk)
	if len(call.Input) == 0 {
		err = errors.New("it is empty")
	}
	if err == nil {
		err = r.gate.checkInput(r.policy, &item)
	}
	if err != nil {
		return &InvalidCorrection{Reason: err.Error()}
	}
	r.corrected = text
	return nil
}

// always writes a verdict for always to the policy. It runs while the item is locked,
// so that a verdict that loses writes nothing. If the process dies between this and the
// end of the transaction, the rule is there and the item waits on: what somebody wanted
// for always holds, and answering again finds it there.
func (r *resolution) always(action plangate.Action, call plangate.Call) error {
	if r.verdict.Scope != ScopeAlways {
		return nil
	}
	if r.gate.config.Write == nil {
		return ErrNoPolicyStore
	}
	call.Kind, call.Risk = r.item.Kind, r.item.Risk
	place, err := r.gate.config.Write.WriteAlways(r.ctx, AlwaysVerdict{
		Call: call, Action: action, Actor: r.verdict.Actor, Item: r.item.ID, At: r.item.Answer.At,
	})
	r.item.Answer.Written, r.written = place, place
	return err
}

// notPending is the error for an answer to an item that does not wait. The same answer
// once more is none.
func notPending(item *Item, verdict *Verdict) error {
	switch {
	case item.Ending == EndExpired:
		return &Expired{At: item.Expires}
	case item.Ending == EndSuperseded:
		return &Superseded{At: item.Ended}
	case item.Answer == nil:
		return fmt.Errorf("%w: it was decided by %s", ErrNotPending, item.DecidedBy)
	case item.Answer.same(verdict):
		return errRepeated
	default:
		return &AlreadyAnswered{item.Answer.Decision, item.Answer.Actor, item.Answer.At}
	}
}

// deny ends an item that nobody answered.
func (g *Gate) deny(item *Item, ending Ending, by string) {
	denyBy(item, ending, item.DecidedBy+"+"+by, "")
	item.Ended = g.now()
}

// Item returns an item as it is now: one that has expired is denied first. Unknown ids
// are ErrNotFound.
func (g *Gate) Item(ctx context.Context, id string) (item Item, err error) {
	read := func(r Reader) (err error) {
		item, err = r.Item(id)
		return err
	}
	if err := g.config.Store.View(ctx, read); err != nil {
		return Item{}, err
	}
	if item.State == Waiting && !g.now().Before(item.Expires) {
		if err := g.expire(ctx, item.Session); err != nil {
			return Item{}, err
		}
		err = g.config.Store.View(ctx, read)
	}
	return item, err
}

// expire denies what has waited too long: in one session, or in all for "". Once
// denied, a clock that is set back does not bring it back (case appr-07).
func (g *Gate) expire(ctx context.Context, session string) error {
	for {
		due := Filter{Session: session, States: []State{Waiting}, ExpiresBy: g.now(), Limit: expireAtOnce}
		var found []Item
		err := g.config.Store.View(ctx, func(r Reader) (err error) {
			found, err = r.Items(due)
			return err
		})
		if err != nil || len(found) == 0 {
			return err
		}
		slices.SortStableFunc(found, func(a, b Item) int { return cmp.Compare(a.Session, b.Session) })
		for len(found) > 0 {
			session := found[0].Session
			n := slices.IndexFunc(found, func(item Item) bool { return item.Session != session })
			if n < 0 {
				n = len(found)
			}
			if err := g.expireItems(ctx, session, found[:n]); err != nil {
				return err
			}
			found = found[n:]
		}
	}
}

// expireAtOnce is how many due items are ended in a transaction at most.
const expireAtOnce = 200

// expireItems ends due items of one session.
func (g *Gate) expireItems(ctx context.Context, session string, due []Item) error {
	return g.update(ctx, g.auditMode(), func(tx Tx) ([]audit.Entry, error) {
		if _, err := tx.Session(session); err != nil {
			return nil, err
		}
		var entries []audit.Entry
		for i := range due {
			item, err := tx.Item(due[i].ID)
			if err != nil {
				return nil, err
			}
			if item.State != Waiting {
				continue // somebody was faster
			}
			g.deny(&item, EndExpired, "expired")
			entries = append(entries, g.entry(audit.ApprovalExpired, &item))
			if err := tx.PutItem(item); err != nil {
				return nil, err
			}
		}
		return entries, nil
	})
}

// auditMode is that of the policy in force.
func (g *Gate) auditMode() eval.AuditMode { return g.config.Policy().Table.Settings().Approvals.Audit }

// PendingQuery selects items that wait for an answer.
type PendingQuery struct {
	Session string // "" is all sessions
	After   Cursor // continue behind this item
	Limit   int    // 1 to MaxPage; 0 is MaxPage
}

// Pending lists the items that wait, the oldest first. What has expired by now is
// denied before and not in the list.
func (g *Gate) Pending(ctx context.Context, query PendingQuery) (items []Item, err error) {
	if err := g.expire(ctx, query.Session); err != nil {
		return nil, err
	}
	limit := query.Limit
	if limit <= 0 || limit > MaxPage {
		limit = MaxPage
	}
	err = g.config.Store.View(ctx, func(r Reader) (err error) {
		items, err = r.Items(Filter{Session: query.Session, States: []State{Waiting}, After: query.After, Limit: limit})
		return err
	})
	return items, err
}

// Watch returns a channel that gets a value after changes; see [Store].
func (g *Gate) Watch(ctx context.Context) (<-chan struct{}, error) { return g.config.Store.Watch(ctx) }

// refreshEvery bounds how long a waiter sleeps without looking: an item may expire
// without anybody changing it.
const refreshEvery = time.Second
