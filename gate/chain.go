package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/plangate/plangate"
)

// Hook is a member of the hook chain. Exactly one of its functions is set. The chain
// runs once for a plan, in declared order, before policy decides: policy is always
// asked, about the calls as the chain left them, and no hook lifts a deny of it
// (spec GAT-17). A panic counts as an error. Hooks keep to the context's deadline
// themselves.
type Hook struct {
	Name string
	// Observe looks on. An error is reported and changes nothing.
	Observe func(ctx context.Context, request PlanRequest) error
	// Transform returns what to run instead of a call. An error ends the plan with
	// ErrHook, and nothing is stored. It must keep the id of the call.
	Transform func(ctx context.Context, request PlanRequest, call plangate.Call) (plangate.Call, error)
	// Veto may deny the plan as a whole. Whatever is neither Pass nor Veto, an error
	// and a panic veto as well.
	Veto func(ctx context.Context, request PlanRequest) (Vote, error)
}

// PlanRequest is what hooks are shown.
type PlanRequest struct {
	Session, Turn string
	Calls         []plangate.Call // a copy
}

// Vote is the answer of a vetoing hook. The zero Vote is no answer, and vetoes.
type Vote struct {
	Pass   bool
	Vetoed bool
	Reason string // for the model; may be empty
}

func (h *Hook) check() error {
	set := 0
	for _, isSet := range []bool{h.Observe != nil, h.Transform != nil, h.Veto != nil} {
		if isSet {
			set++
		}
	}
	switch {
	case h.Name == "" || !printable(h.Name, MaxActorBytes):
		return errors.New("it needs a printable name")
	case set != 1:
		return fmt.Errorf("%s has %d functions; it needs one of Observe, Transform, Veto", h.Name, set)
	default:
		return nil
	}
}

// veto is the first refusal of a plan by its hooks.
type veto struct{ name, reason string }

// runHooks runs the chain over the calls, which it may replace in place. Calls with a
// fault are not transformed: they are denied anyhow.
func (g *Gate) runHooks(ctx context.Context, request PlanRequest, calls []plangate.Call, faults []error) (*veto, error) {
	var refused *veto
	for i := range g.config.Hooks {
		hook := &g.config.Hooks[i]
		request.Calls = append([]plangate.Call(nil), calls...)
		switch {
		case hook.Observe != nil:
			if err := guarded(func() error { return hook.Observe(ctx, request) }); err != nil {
				g.config.Report(fmt.Errorf("gate: observing hook %s: %w", hook.Name, err))
			}
		case hook.Transform != nil:
			if err := hook.transform(ctx, request, calls, faults); err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrHook, hook.Name, err)
			}
		case refused == nil:
			refused = hook.vote(ctx, request)
		}
	}
	return refused, nil
}

func (h *Hook) transform(ctx context.Context, request PlanRequest, calls []plangate.Call, faults []error) error {
	for i, call := range calls {
		if faults[i] != nil {
			continue
		}
		err := guarded(func() (err error) {
			calls[i], err = h.Transform(ctx, request, call)
			return err
		})
		if err != nil {
			return err
		}
		if calls[i].ID != call.ID {
			return fmt.Errorf("it changed the id of call %q", call.ID)
		}
	}
	return nil
}

func (h *Hook) vote(ctx context.Context, request PlanRequest) *veto {
	var vote Vote
	err := guarded(func() (err error) {
		vote, err = h.Veto(ctx, request)
		return err
	})
	switch {
	case err != nil:
		return &veto{h.Name, "the hook failed: " + err.Error()}
	case vote.Pass && !vote.Vetoed:
		return nil
	case !vote.Vetoed:
		return &veto{h.Name, "the hook gave no answer"}
	default:
		return &veto{h.Name, vote.Reason}
	}
}

// guarded turns a panic into an error.
func guarded(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return do()
}
