package gate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/breaker"
	"github.com/plangate/plangate/eval"
)

// Claim takes an item to run it. Of any number of claims, by any process, one wins;
// the item is then running, and its Call is exactly what may be run, once. A claim that
// returns an error is none: run nothing (spec GAT-34 to GAT-36).
//
// Policy is asked once more. If it denies the call by now the item is denied, and the
// error is PolicyDenies.
func (s *Session) Claim(ctx context.Context, id string) (Item, error) {
	if err := s.gate.expire(ctx, s.id); err != nil {
		return Item{}, err
	}
	var item Item
	var denied error
	policy := s.gate.config.Policy()
	err := s.gate.update(ctx, policy.Table.Settings().Approvals.Audit, func(tx Tx) (entries []audit.Entry, err error) {
		denied = nil
		if item, err = s.claimable(tx, id); err != nil {
			return nil, err
		}
		call := item.Call
		call.Time = s.gate.now()
		decision := policy.Table.Decide(call)
		if broken(decision) {
			return nil, &PolicyBroken{Decision: decision}
		}
		event := audit.Claimed
		if decision.Action() == plangate.Deny && !allowedByHook(&item, decision) {
			item.Outcome = decision.Outcome()
			denyBy(&item, EndPolicy, decision.DecidedBy(), "")
			item.Ended, item.Note = call.Time, ""
			denied, event = &PolicyDenies{Decision: decision}, audit.Decision
		} else {
			item.State, item.Claimed, item.Epoch = Running, call.Time, s.epoch
		}
		return []audit.Entry{s.gate.entry(event, &item)}, tx.PutItem(item)
	})
	if err != nil {
		return Item{}, err
	}
	if denied != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.debit(&item)
	}
	return item, denied
}

// allowedByHook reports whether the decision hook has allowed an item about which policy
// still says hook. What holds until a hook answers may be deny.
func allowedByHook(item *Item, now plangate.Decision) bool {
	return now.MatchedAction() == plangate.Hook && item.Outcome.MatchedAction == plangate.Hook
}

// claimable returns an item of this session that may be claimed now, locked.
func (s *Session) claimable(tx Tx, id string) (Item, error) {
	if err := s.own(tx); err != nil {
		return Item{}, err
	}
	item, err := tx.Item(id)
	switch {
	case err != nil:
		return Item{}, err
	case item.Session != s.id:
		return Item{}, ErrNotFound
	case item.State != Ready:
		return Item{}, &NotReady{State: item.State}
	case item.Hold != eval.HoldBatch:
		return item, nil
	}
	waiting, err := tx.Items(Filter{Plan: item.Plan, States: []State{Waiting}, Limit: 1})
	if err == nil && len(waiting) > 0 {
		err = ErrHeld
	}
	return item, err
}

// Complete ends an item that this kernel runs. The result is stored as it is, for a
// kernel that dies before it has used it; it is not decided on and not logged.
func (s *Session) Complete(ctx context.Context, id string, result Result) (Item, error) {
	if err := result.check(); err != nil {
		return Item{}, err
	}
	var item Item
	err := s.gate.update(ctx, s.gate.auditMode(), func(tx Tx) (entries []audit.Entry, err error) {
		if err := s.own(tx); err != nil {
			return nil, err
		}
		if item, err = tx.Item(id); err != nil {
			return nil, err
		}
		if item.Session != s.id {
			return nil, ErrNotFound
		}
		if item.State != Running {
			return nil, fmt.Errorf("%w: it is %s", ErrNotRunning, item.State)
		}
		item.State, item.Ended, item.Result = Done, s.gate.now(), &result
		return []audit.Entry{s.gate.entry(audit.Completed, &item)}, tx.PutItem(item)
	})
	if err != nil {
		return Item{}, err
	}
	s.count(&item)
	return item, nil
}

// count tells the breaker how a call ended. A tool that reports an error has worked.
func (s *Session) count(item *Item) {
	if item.Result.Crashed {
		s.breaker.Crashed(item.Call.Provider)
		return
	}
	if item.Result.Error == "" {
		s.breaker.Succeeded(item.Call.Provider)
	}
}

func (r *Result) check() error {
	switch {
	case (r.Output == nil) == (r.Error == ""):
		return ErrResult
	case len(r.Output)+len(r.Error) > MaxResultBytes:
		return fmt.Errorf("%w, of at most %d bytes", ErrResult, MaxResultBytes)
	case r.Output != nil && plangate.CheckJSON(r.Output) != nil:
		return fmt.Errorf("%w: the output is not JSON: %w", ErrResult, plangate.CheckJSON(r.Output))
	default:
		return nil
	}
}

// Left is what a session has still to do.
type Left struct {
	Waiting     []Item `json:"waiting"`
	Ready       []Item `json:"ready"`
	Running     []Item `json:"running"`     // by this kernel
	Interrupted []Item `json:"interrupted"` // plans whose outcomes were not handed out
}

// Resume returns what is left of the session: after Open, a kernel goes on with it and
// with nothing else. What is done, denied or handed out is not in it, so it cannot run
// again (spec GAT-37).
func (s *Session) Resume(ctx context.Context) (Left, error) {
	if err := s.gate.expire(ctx, s.id); err != nil {
		return Left{}, err
	}
	var left Left
	err := s.gate.config.Store.View(ctx, func(r Reader) error {
		left = Left{Waiting: []Item{}, Ready: []Item{}, Running: []Item{}, Interrupted: []Item{}}
		if err := s.own(r); err != nil {
			return err
		}
		states := []State{Waiting, Ready, Running, Interrupted}
		return eachItem(r, Filter{Session: s.id, States: states}, func(item Item) error {
			return left.add(r, item)
		})
	})
	if err != nil {
		return Left{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, item := range left.Waiting {
		s.waiting[item.ID] = true
	}
	return left, nil
}

func (l *Left) add(r Reader, item Item) error {
	switch item.State {
	case Waiting:
		l.Waiting = append(l.Waiting, item)
	case Ready:
		l.Ready = append(l.Ready, item)
	case Running:
		l.Running = append(l.Running, item)
	default:
		plan, err := r.Plan(item.Session, item.Turn)
		if err != nil {
			return err
		}
		if plan.Settled.IsZero() {
			l.Interrupted = append(l.Interrupted, item)
		}
	}
	return nil
}

// Woken is what Wait returns.
type Woken struct {
	Items   []Item         `json:"items"`   // no longer waiting: ready or denied
	Tripped []breaker.Trip `json:"tripped"` // by those that were denied
}

// Wait blocks until an item of this session that waited for an answer has one or has
// ended otherwise, and returns all such items, each once. With nothing waiting it
// returns at once. It holds no connection and looks at the store when something
// changed, at least once a second.
func (s *Session) Wait(ctx context.Context) (Woken, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changes, err := s.gate.config.Store.Watch(ctx)
	if err != nil {
		return Woken{}, err
	}
	timer := time.NewTicker(refreshEvery)
	defer timer.Stop()
	for {
		woken, err := s.woken(ctx)
		if err != nil || len(woken.Items) > 0 || !s.anyWaiting() {
			return woken, err
		}
		select {
		case <-ctx.Done():
			return Woken{}, ctx.Err()
		case <-changes:
		case <-timer.C:
		}
	}
}

func (s *Session) anyWaiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting) > 0
}

// woken takes the items that have ended out of the waiting ones.
func (s *Session) woken(ctx context.Context) (Woken, error) {
	if err := s.gate.expire(ctx, s.id); err != nil {
		return Woken{}, err
	}
	s.mu.Lock()
	waiting := slices.Collect(maps.Keys(s.waiting))
	s.mu.Unlock()
	woken := Woken{Items: []Item{}, Tripped: []breaker.Trip{}}
	err := s.gate.config.Store.View(ctx, func(r Reader) error {
		woken.Items = woken.Items[:0]
		if err := s.own(r); err != nil {
			return err
		}
		for _, id := range waiting {
			item, err := r.Item(id)
			if err != nil {
				return err
			}
			if item.State != Waiting {
				woken.Items = append(woken.Items, item)
			}
		}
		return nil
	})
	if err != nil {
		return Woken{}, err
	}
	slices.SortFunc(woken.Items, byPlace)
	woken.Items, woken.Tripped = s.told(woken.Items)
	return woken, nil
}

func byPlace(a, b Item) int {
	if order := a.Created.Compare(b.Created); order != 0 {
		return order
	}
	return a.Index - b.Index
}

// Tripped returns the counters of the circuit breaker that have tripped in this
// session. The gate only reports: the kernel decides how to end the turn.
func (s *Session) Tripped() []breaker.Trip { return s.breaker.Tripped() }

// ResultKind says what became of an item.
type ResultKind string

// The kinds of outcome (row R1).
const (
	Applied           ResultKind = "applied"
	Failed            ResultKind = "failed"
	ResultDenied      ResultKind = "denied"
	ResultInterrupted ResultKind = "interrupted"
)

// ToolResult is what the model gets for one call.
type ToolResult struct {
	Item   string     `json:"item"`
	CallID string     `json:"call_id"`
	Kind   ResultKind `json:"kind"`
	// Ending and DecidedBy say who denied a call: policy, hook, human… and which block.
	Ending    Ending `json:"ending"`
	DecidedBy string `json:"decided_by"`
	// IsError is true for all but applied; Retryable is false always: the gate never
	// suggests to try a denied call again.
	IsError   bool   `json:"is_error"`
	Retryable bool   `json:"retryable"`
	Category  string `json:"category"` // permission_denied, execution_failed, process_crashed or ""
	Result    Result `json:"result"`
	Text      string `json:"text"` // of a denied or interrupted call
	Note      string `json:"note"` // of an allowed one: what a human or hook attached
}

// Outcomes is what became of a plan.
type Outcomes struct {
	Results []ToolResult `json:"results"` // in plan order, whatever order they ended in
	// CancelTurn says that an approval expired under on_expire = "cancel_turn": end the
	// turn and do not call the model.
	CancelTurn bool `json:"cancel_turn"`
}

// Outcomes returns the results of a turn's plan, once all of its items are final;
// before that it is ErrUnsettled. The first call records that they were handed out.
func (s *Session) Outcomes(ctx context.Context, turn string) (Outcomes, error) {
	if err := s.gate.expire(ctx, s.id); err != nil {
		return Outcomes{}, err
	}
	var out Outcomes
	err := s.gate.config.Store.Update(ctx, func(tx Tx) error {
		if err := s.own(tx); err != nil {
			return err
		}
		plan, err := tx.Plan(s.id, turn)
		if err != nil {
			return err
		}
		items := []Item{}
		if err := eachItem(tx, Filter{Plan: plan.ID}, func(item Item) error {
			items = append(items, item)
			return unsettled(&item)
		}); err != nil {
			return err
		}
		slices.SortFunc(items, byPlace)
		out = outcomesOf(items)
		if !plan.Settled.IsZero() {
			return nil
		}
		plan.Settled = s.gate.now()
		return tx.PutPlan(plan)
	})
	if err != nil {
		return Outcomes{}, err
	}
	return out, nil
}

func unsettled(item *Item) error {
	if item.State.Final() {
		return nil
	}
	return fmt.Errorf("%w: call %q is %s", ErrUnsettled, item.Call.ID, item.State)
}

func outcomesOf(items []Item) Outcomes {
	out := Outcomes{Results: make([]ToolResult, len(items))}
	for i := range items {
		item := &items[i]
		out.Results[i] = resultOf(item)
		out.CancelTurn = out.CancelTurn || item.Ending == EndExpired && item.OnExpire == eval.ExpireCancelTurn
	}
	return out
}

func resultOf(item *Item) ToolResult {
	r := ToolResult{Item: item.ID, CallID: item.Call.ID, IsError: true, Text: item.Text, Note: item.Note,
		Ending: item.Ending, DecidedBy: item.DecidedBy}
	switch {
	case item.State == Denied:
		r.Kind, r.Category = ResultDenied, "permission_denied"
	case item.State == Interrupted:
		r.Kind, r.Category = ResultInterrupted, "process_crashed"
	case item.Result.Error != "":
		r.Kind, r.Category, r.Result = Failed, "execution_failed", *item.Result
	default:
		r.Kind, r.IsError, r.Result = Applied, false, *item.Result
	}
	return r
}
