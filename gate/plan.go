package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/breaker"
	"github.com/plangate/plangate/eval"
)

// Plan is the calls of a turn, decided one by one. It is a plain value.
type Plan struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Turn    string `json:"turn"`
	Items   []Item `json:"items"` // in the order of the calls
	// Repeated says that this turn had been planned before; nothing was decided anew.
	Repeated bool `json:"repeated"`
	// Tripped are the circuit breaker's counters that this plan's denials tripped, or
	// that were at their threshold already.
	Tripped []breaker.Trip `json:"tripped"`
	// Warnings tell of rules that ask where nobody can be asked, once for a rule and
	// session.
	Warnings []string `json:"warnings"`
}

// Plan decides the calls of a turn and stores the result: what is allowed is ready to
// be claimed, what has to be asked waits, what is denied carries the text for the
// model (spec GAT-1 to GAT-18). It either stores all of it or returns an error.
//
// A turn names one answer of the model; its call ids are distinct. Planning it again
// with the same calls returns the same items, so a kernel that died can repeat it;
// with other calls it is ErrDuplicate.
func (s *Session) Plan(ctx context.Context, turn string, calls []plangate.Call) (*Plan, error) {
	if err := checkCalls(turn, calls); err != nil {
		return nil, err
	}
	return s.plan(ctx, turn, calls, make([]error, len(calls)))
}

// PlanJSON is Plan for calls in JSON (spec FMT-4). One that cannot be read is an item
// that is denied, beside its neighbours; its id must be readable.
func (s *Session) PlanJSON(ctx context.Context, turn string, texts []json.RawMessage) (*Plan, error) {
	calls, faults := make([]plangate.Call, len(texts)), make([]error, len(texts))
	for i, text := range texts {
		calls[i], faults[i] = plangate.ParseCall(text)
	}
	if err := checkCalls(turn, calls); err != nil {
		return nil, err
	}
	return s.plan(ctx, turn, calls, faults)
}

// checkCalls refuses what cannot be a plan.
func checkCalls(turn string, calls []plangate.Call) error {
	if err := checkID("turn", turn); err != nil {
		return err
	}
	if len(calls) > MaxCalls {
		return fmt.Errorf("%w: it has %d calls; at most %d are planned at once", ErrPlan, len(calls), MaxCalls)
	}
	seen, size := map[string]bool{}, 0
	for i := range calls {
		if err := checkID(fmt.Sprintf("call %d", i), calls[i].ID); err != nil {
			return err
		}
		if seen[calls[i].ID] {
			return fmt.Errorf("%w: two calls have the id %q", ErrPlan, calls[i].ID)
		}
		seen[calls[i].ID] = true
		if size += len(calls[i].Input); size > MaxPlanBytes {
			return fmt.Errorf("%w: its inputs are longer than %d bytes", ErrPlan, MaxPlanBytes)
		}
	}
	return nil
}

func (s *Session) plan(ctx context.Context, turn string, calls []plangate.Call, faults []error) (*Plan, error) {
	p := &planner{
		session: s, policy: s.gate.config.Policy(), calls: slices.Clone(calls), faults: faults, now: s.gate.now(),
		plan: Plan{ID: newID(), Session: s.id, Turn: turn, Tripped: []breaker.Trip{}, Warnings: []string{}},
	}
	p.settings = p.policy.Table.Settings()
	p.digestAsked()
	if earlier, err := p.earlier(ctx); earlier != nil || err != nil {
		return earlier, err
	}
	refused, err := s.gate.runHooks(ctx, PlanRequest{Session: s.id, Turn: turn}, p.calls, p.faults)
	if err != nil {
		return nil, err
	}
	if err := s.gate.config.Store.View(ctx, p.recall); err != nil {
		return nil, err
	}
	p.decide(ctx, refused)
	s.gate.preview(ctx, p.plan.Items)
	if err := s.gate.update(ctx, p.settings.Approvals.Audit, p.store); err != nil {
		if errors.Is(err, ErrDuplicate) { // another goroutine planned this turn meanwhile
			if earlier, otherwise := p.earlier(ctx); earlier != nil || otherwise != nil {
				return earlier, otherwise
			}
		}
		return nil, err
	}
	s.planned(&p.plan)
	return &p.plan, nil
}

// planner makes one plan.
type planner struct {
	session  *Session
	policy   Policy
	settings eval.Settings
	calls    []plangate.Call
	faults   []error  // why a call cannot be judged, or nil
	asked    []string // digests of the calls as the model made them
	memory   memory
	now      time.Time
	plan     Plan
}

// digestAsked digests the calls before anything changes them. What has no digest cannot be
// judged.
func (p *planner) digestAsked() {
	p.asked = make([]string, len(p.calls))
	for i := range p.calls {
		if p.asked[i] = p.digest(i); p.asked[i] != "" { // what a digest leaves out, a plan is made for too
			call := &p.calls[i]
			p.asked[i] = key(p.asked[i], call.Profile, call.Cwd, call.Workspace, call.Home, string(call.Session), string(call.Caller))
		}
	}
}

// digest returns the digest of a call, or "" with a fault noted.
func (p *planner) digest(i int) string {
	call := &p.calls[i]
	if p.faults[i] == nil && call.Operation == "" {
		p.faults[i] = errors.New("the call names no operation")
	}
	if p.faults[i] != nil {
		return ""
	}
	kind, risk, _ := p.snapshot(call)
	text, err := digest(call, kind, risk)
	if err != nil {
		p.faults[i] = fmt.Errorf("the input cannot be read: %w", err)
	}
	return text
}

// snapshot returns what the call and the catalog say of an operation, the stricter of
// the two where they differ.
func (p *planner) snapshot(call *plangate.Call) (plangate.Kind, plangate.Risk, string) {
	kind, risk, description := call.Kind, call.Risk, ""
	if p.policy.Catalog != nil {
		if known, ok := p.policy.Catalog.Find(call.Provider, call.Operation); ok {
			description = known.Description
			kind, risk = stricterKind(kind, known.Kind), max(risk, known.Risk)
		}
	}
	return stricterKind(kind, kind), risk, description
}

// stricterKind returns resource if either is, and what is stated if only one is. A
// kind that nobody states is resource (spec DEC-3).
func stricterKind(a, b plangate.Kind) plangate.Kind {
	switch {
	case a == plangate.KindUnspecified && b == plangate.KindUnspecified:
		return plangate.Resource
	case a == plangate.KindUnspecified:
		return b
	case b == plangate.KindUnspecified:
		return a
	default:
		return min(a, b)
	}
}

// earlier returns the plan that this turn has already, or nil.
func (p *planner) earlier(ctx context.Context) (*Plan, error) {
	s := p.session
	if err := s.gate.expire(ctx, s.id); err != nil {
		return nil, err
	}
	plan := Plan{Session: s.id, Turn: p.plan.Turn, Repeated: true, Tripped: []breaker.Trip{}, Warnings: []string{}}
	err := s.gate.config.Store.View(ctx, func(r Reader) error {
		if err := s.own(r); err != nil {
			return err
		}
		record, err := r.Plan(s.id, p.plan.Turn)
		if err != nil {
			return err
		}
		plan.ID, plan.Items = record.ID, nil
		return eachItem(r, Filter{Plan: record.ID}, func(item Item) error {
			plan.Items = append(plan.Items, item)
			return nil
		})
	})
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	slices.SortFunc(plan.Items, func(a, b Item) int { return a.Index - b.Index })
	same := slices.EqualFunc(plan.Items, p.calls, func(item Item, call plangate.Call) bool { return item.Call.ID == call.ID })
	for i := range plan.Items {
		same = same && plan.Items[i].Asked == p.asked[i]
	}
	if !same {
		return nil, fmt.Errorf("%w: turn %q was planned with other calls", ErrDuplicate, plan.Turn)
	}
	s.planned(&plan)
	return &plan, nil
}

// recall reads the verdicts for the session.
func (p *planner) recall(r Reader) (err error) {
	p.memory, err = p.session.remembered(r)
	return err
}

// decide makes the items. Calls that go to the decision hook do so side by side.
func (p *planner) decide(ctx context.Context, refused *veto) {
	p.plan.Items = make([]Item, len(p.calls))
	var wait sync.WaitGroup
	slots := make(chan struct{}, parallelPreviews)
	for i := range p.calls {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			p.plan.Items[i] = p.item(ctx, i, refused)
		})
	}
	wait.Wait()
}

// store is the transaction that makes the plan durable.
func (p *planner) store(tx Tx) ([]audit.Entry, error) {
	if err := p.session.own(tx); err != nil {
		return nil, err
	}
	record := PlanRecord{
		ID: p.plan.ID, Session: p.plan.Session, Turn: p.plan.Turn, Items: len(p.plan.Items), Created: p.now,
	}
	if err := tx.PutPlan(record); err != nil {
		return nil, err
	}
	if err := tx.AddItems(p.plan.Items); err != nil {
		return nil, err
	}
	var entries []audit.Entry
	for i := range p.plan.Items {
		item := &p.plan.Items[i]
		entries = append(entries, p.session.gate.entry(audit.Decision, item))
		if item.State == Waiting {
			entries = append(entries, p.session.gate.entry(audit.ApprovalCreated, item))
		}
	}
	return entries, nil
}

// planned notes what the session has to know of a stored plan: who waits, what the
// breaker counts, which downgrades were told.
func (s *Session) planned(plan *Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range plan.Items {
		item := &plan.Items[i]
		if item.State == Waiting {
			s.waiting[item.ID] = true
		}
		if plan.Repeated || item.State != Denied {
			continue
		}
		plan.Tripped = append(plan.Tripped, s.debit(item)...)
		if rule := item.Outcome.DecidedBy; item.Outcome.Downgrade != plangate.DowngradeNone && !s.warned[rule] {
			s.warned[rule] = true
			plan.Warnings = append(plan.Warnings, downgradeWarning(item))
		}
	}
}

// debit tells the breaker of a denied item. What nobody answered is no refusal
// (spec BRK-3).
func (s *Session) debit(item *Item) []breaker.Trip {
	switch item.Ending {
	case EndExpired:
		s.breaker.EndedUnanswered(breaker.Expired)
		return nil
	case EndSuperseded:
		s.breaker.EndedUnanswered(breaker.Superseded)
		return nil
	default:
		return s.breaker.Denied(item.Call.Provider, item.Outcome.DecidedBy, item.ID)
	}
}
