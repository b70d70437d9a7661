package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/local"
)

// said is a line from a worker to the driver. What the interface returned is said after
// it returned; "answering" alone is said before.
type said struct {
	What    string
	Session string
	Turn    string        `json:",omitempty"`
	Items   []gate.Item   `json:",omitempty"`
	Verdict *gate.Verdict `json:",omitempty"` // of answering and answered
	Code    string        `json:",omitempty"` // of an error
	Text    string        `json:",omitempty"`
	Points  []string      `json:",omitempty"`
}

// What is said.
const (
	opened     = "opened"
	planned    = "planned"
	answering  = "answering"
	answered   = "answered"
	lostRace   = "lost the race"
	claimed    = "claimed"
	completed  = "completed"
	superseded = "superseded"
	expired    = "expired"
	settled    = "settled"
	failed     = "failed" // with an error that the worker expected, or outlived
	ended      = "ended"
)

// kernel is a kernel and a human at once: it uses a gate and says what it was told.
type kernel struct {
	ctx     context.Context
	machine machine
	gate    *gate.Gate
	local   *local.Local
	session *gate.Session
	say     func(said)
	reach   func(point string)
	// persevere makes it try again for so long what failed because the store was away.
	persevere time.Duration
	rivals    bool         // others answer the same items
	ahead     atomic.Int64 // of the clock, in nanoseconds
}

func (k *kernel) now() time.Time { return time.Now().Add(time.Duration(k.ahead.Load())) }

// connect opens the gate.
func (k *kernel) connect(configure func(*gate.Config)) (err error) {
	if k.local, err = k.machine.open(k.ctx, k.now, configure); err != nil {
		return err
	}
	k.gate = k.local.Gate
	return nil
}

// try does something, again and again if the kernel perseveres. Errors of a store that
// is away must have the code for it.
func (k *kernel) try(what string, do func() error) error {
	until := time.Now().Add(k.persevere)
	for {
		err := do()
		if err == nil || k.persevere == 0 || gate.Code(err) != "store_unavailable" || time.Now().After(until) {
			return err
		}
		k.say(said{What: failed, Session: what, Code: gate.Code(err), Text: err.Error()})
		time.Sleep(20 * time.Millisecond)
	}
}

func (k *kernel) open(id string) error {
	return k.try("open", func() (err error) {
		if k.session, err = k.gate.Open(k.ctx, id); err == nil {
			k.say(said{What: opened, Session: id})
		}
		return err
	})
}

// calls are calls of operations, one each.
func calls(operations []string) []plangate.Call {
	list := make([]plangate.Call, len(operations))
	for i, operation := range operations {
		list[i] = plangate.Call{
			ID: fmt.Sprint("c", i), Provider: "tools", Operation: operation, Kind: plangate.Resource, Risk: plangate.High,
			Input: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)),
		}
	}
	return list
}

func (k *kernel) plan(turn string, operations ...string) (items []gate.Item, err error) {
	err = k.try("plan", func() error {
		plan, err := k.session.Plan(k.ctx, turn, calls(operations))
		if err == nil {
			items = plan.Items
			k.say(said{What: planned, Session: k.session.ID(), Turn: turn, Items: items})
		}
		return err
	})
	return items, err
}

// answer gives a verdict. One that came second is no failure.
func (k *kernel) answer(item gate.Item, verdict gate.Verdict) error {
	verdict.Digest = item.Digest
	if verdict.Actor == "" {
		verdict.Actor = "ada"
	}
	k.say(said{What: answering, Session: item.Session, Items: []gate.Item{item}, Verdict: &verdict})
	err := k.resolve(item, verdict)
	if k.rivals && gate.Code(err) == "would_loosen" {
		// The other human denied it for always: that was written, and then it died or the
		// store was away. What is written stands, so only this call can be answered here.
		verdict.Scope = gate.ScopeOnce
		err = k.resolve(item, verdict)
	}
	return err
}

func (k *kernel) resolve(item gate.Item, verdict gate.Verdict) error {
	return k.try("answer", func() error {
		resolved, err := k.gate.Resolve(k.ctx, item.ID, verdict)
		var denies *gate.PolicyDenies
		switch {
		case err == nil || errors.As(err, &denies):
			k.say(said{What: answered, Session: item.Session, Items: []gate.Item{resolved.Item}, Verdict: &verdict})
			return nil
		case gate.Code(err) == "expired":
			k.say(said{What: expired, Session: item.Session, Items: []gate.Item{resolved.Item}})
			return nil
		case errors.Is(err, gate.ErrNotPending):
			k.say(said{What: lostRace, Session: item.Session, Items: []gate.Item{item}, Code: gate.Code(err), Text: err.Error()})
			return nil
		}
		return err
	})
}

// claim returns whether the item may run. If not, code says why.
func (k *kernel) claim(item gate.Item) (ok bool, code string, err error) {
	err = k.try("claim", func() error {
		run, err := k.session.Claim(k.ctx, item.ID)
		var denies *gate.PolicyDenies
		switch {
		case err == nil:
			ok = true
			k.say(said{What: claimed, Session: run.Session, Items: []gate.Item{run}})
			return nil
		case errors.Is(err, gate.ErrNotReady) || errors.Is(err, gate.ErrHeld) || errors.As(err, &denies):
			code = gate.Code(err)
			return nil
		}
		return err
	})
	return ok, code, err
}

// result is what an item gave when it ran: now an output, now an error.
func result(item gate.Item) gate.Result {
	if item.ID[0]%3 == 0 {
		return gate.Result{Error: "exit 1"}
	}
	return gate.Result{Output: json.RawMessage(fmt.Sprintf(`{"ran":%q}`, item.ID))}
}

func (k *kernel) complete(item gate.Item) error {
	return k.try("complete", func() error {
		done, err := k.session.Complete(k.ctx, item.ID, result(item))
		if errors.Is(err, gate.ErrNotRunning) && k.persevere > 0 {
			// Perhaps the last try was it.
			if done, err = k.gate.Item(k.ctx, item.ID); err == nil && done.State != gate.Done {
				return fmt.Errorf("%w: %s", gate.ErrNotRunning, done.State)
			}
		}
		if err == nil {
			k.say(said{What: completed, Session: done.Session, Items: []gate.Item{done}})
		}
		return err
	})
}

// execute claims an item and runs it.
func (k *kernel) execute(item gate.Item) (ran bool, code string, err error) {
	ok, code, err := k.claim(item)
	if err != nil || !ok {
		return false, code, err
	}
	k.reach("before running")
	if err := k.machine.run(item.ID); err != nil {
		return false, "", err
	}
	k.reach("ran")
	return true, "", k.complete(item)
}

func (k *kernel) message() error {
	return k.try("message", func() error {
		items, err := k.session.UserMessage(k.ctx)
		if err == nil {
			k.say(said{What: superseded, Session: k.session.ID(), Items: items})
		}
		return err
	})
}

// expire lets two hours pass and looks at what waits.
func (k *kernel) expire(items []gate.Item) error {
	k.ahead.Store(int64(2 * time.Hour))
	waiting, err := k.gate.Pending(k.ctx, gate.PendingQuery{Session: k.session.ID()})
	if err != nil {
		return err
	}
	if len(waiting) > 0 {
		return fmt.Errorf("%d items wait after their time", len(waiting))
	}
	items = slices.Clone(items)
	for i := range items {
		if items[i], err = k.gate.Item(k.ctx, items[i].ID); err != nil {
			return err
		}
	}
	k.say(said{What: expired, Session: k.session.ID(), Items: items})
	return nil
}

func (k *kernel) outcomes(turn string) (out gate.Outcomes, err error) {
	err = k.try("outcomes", func() error {
		if out, err = k.session.Outcomes(k.ctx, turn); err == nil {
			k.say(said{What: settled, Session: k.session.ID(), Turn: turn})
		}
		return err
	})
	return out, err
}
