package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/plangate/plangate"
	gateway "github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/local"
)

// direct is a kernel that calls the gate as a Go program would, without a line of the
// server in between.
type direct struct {
	local *local.Local
	clock *stopped

	mu       sync.Mutex
	sessions map[string]*gateway.Session
}

func startDirect(ctx context.Context, p *place) (Kernel, error) {
	clock := &stopped{}
	l, err := p.open(ctx, clock)
	return &direct{local: l, clock: clock, sessions: map[string]*gateway.Session{}}, err
}

func (d *direct) Kill() error { return d.local.Close() }

// arguments are all params that there are.
type arguments struct {
	Session, Turn, Item, Mode, Advance string
	Calls                              []json.RawMessage
	Verdict                            gateway.Verdict
	Result                             struct {
		Output  json.RawMessage
		Error   string
		Crashed bool
	}
	Template  plangate.Call
	TimeoutMS int `json:"timeout_ms"`
	Limit     int
}

func (d *direct) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	var a arguments
	if err := json.Unmarshal(params, &a); err != nil {
		if method == "resolve" { // a word that is no decision cannot be written in Go
			return nil, &Error{Code: "invalid_verdict", Message: err.Error()}
		}
		return nil, err
	}
	if method == "resolve" && !jsonHas(params, "verdict", "decision") {
		return nil, &Error{Code: "invalid_verdict", Message: "no decision"}
	}
	result, err := d.do(ctx, method, &a)
	if err != nil {
		return nil, onWire(err)
	}
	return json.Marshal(result)
}

func jsonHas(text json.RawMessage, outer, inner string) bool {
	var members map[string]map[string]json.RawMessage
	var all map[string]json.RawMessage
	if json.Unmarshal(text, &all) != nil {
		return false
	}
	one, err := json.Marshal(map[string]json.RawMessage{outer: all[outer]})
	return err == nil && json.Unmarshal(one, &members) == nil && members[outer][inner] != nil
}

type object = map[string]any

func (d *direct) do(ctx context.Context, method string, a *arguments) (any, error) {
	g := d.local.Gate
	switch method {
	case "test_clock":
		step, err := time.ParseDuration(a.Advance)
		return d.clock.advance(step), err
	case "open":
		s, err := g.Open(ctx, a.Session)
		if err != nil {
			return nil, err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.sessions[a.Session] = s
		return object{"session": a.Session}, nil
	case "item":
		item, err := g.Item(ctx, a.Item)
		return object{"item": item}, err
	case "resolve":
		return g.Resolve(ctx, a.Item, a.Verdict)
	case "pending":
		items, err := g.Pending(ctx, gateway.PendingQuery{Session: a.Session, Limit: a.Limit})
		page := object{"items": plangate.List[gateway.Item](items)}
		if a.Limit > 0 && len(items) == a.Limit {
			page["next"] = object{"id": items[len(items)-1].ID}
		}
		return page, err
	case "visible_operations":
		list := []object{}
		for _, o := range g.VisibleOperations(gateway.Mode(a.Mode), a.Template) {
			list = append(list, object{"provider": o.Provider, "operation": o.Name, "kind": o.Kind, "risk": o.Risk, "description": o.Description})
		}
		return object{"operations": list}, nil
	}
	d.mu.Lock()
	s := d.sessions[a.Session]
	d.mu.Unlock()
	if s == nil {
		return nil, &Error{Code: "not_open", Message: "there is no session to call a method of"}
	}
	return d.inSession(ctx, s, method, a)
}

func (d *direct) inSession(ctx context.Context, s *gateway.Session, method string, a *arguments) (any, error) {
	switch method {
	case "close":
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.sessions, a.Session)
		return object{}, nil
	case "plan":
		return s.PlanJSON(ctx, a.Turn, a.Calls)
	case "claim":
		item, err := s.Claim(ctx, a.Item)
		return object{"item": item}, err
	case "complete":
		item, err := s.Complete(ctx, a.Item, gateway.Result(a.Result))
		return object{"item": item}, err
	case "resume":
		return s.Resume(ctx)
	case "outcomes":
		return s.Outcomes(ctx, a.Turn)
	case "user_message":
		items, err := s.UserMessage(ctx)
		return object{"items": plangate.List[gateway.Item](items)}, err
	case "tripped":
		return object{"tripped": s.Tripped()}, nil
	case "wait":
		if a.TimeoutMS > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(a.TimeoutMS)*time.Millisecond)
			defer cancel()
		}
		woken, err := s.Wait(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			return object{"items": []object{}, "tripped": []object{}, "timed_out": true}, nil
		}
		return object{"items": woken.Items, "tripped": woken.Tripped, "timed_out": false}, err
	default:
		return nil, fmt.Errorf("no method %s", method)
	}
}

// onWire gives an error of the gate the form of the protocol.
func onWire(err error) error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	var data any
	if e, ok := errors.AsType[*gateway.AlreadyAnswered](err); ok {
		data = object{"decision": e.Decision, "actor": e.Actor, "at": e.At}
	} else if e, ok := errors.AsType[*gateway.Superseded](err); ok {
		data = object{"at": e.At}
	} else if e, ok := errors.AsType[*gateway.Expired](err); ok {
		data = object{"at": e.At}
	} else if e, ok := errors.AsType[*gateway.InvalidCorrection](err); ok {
		data = object{"reason": e.Reason}
	} else if e, ok := errors.AsType[*gateway.PolicyDenies](err); ok {
		data = object{"decision": e.Decision}
	} else if e, ok := errors.AsType[*gateway.NotReady](err); ok {
		data = object{"state": e.State}
	}
	fault := &Error{Code: gateway.Code(err), Message: err.Error()}
	if data != nil {
		fault.Data, err = json.Marshal(data)
		if err != nil {
			return err
		}
	}
	return fault
}
