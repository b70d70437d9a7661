package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/hook"
	"github.com/plangate/plangate/internal/errtext"
	"github.com/plangate/plangate/local"
	"github.com/plangate/plangate/persist"
)

// approvalRun puts one question of a hook to a human, through the store.
type approvalRun struct {
	*world
	hook.Question
}

// askByApproval asks through the store: an answer that was given to the very same call of
// this session is used once, else an approval is made, or the one that waits already is
// named again.
func (w *world) askByApproval(ctx context.Context, question hook.Question) (harness.Answer, error) {
	a := &approvalRun{w, question}
	l, err := local.Open(ctx, local.Options{
		Load: a.Policy, Store: a.State.Store, Log: a.State.Log, Clock: w.now, Check: persist.CheckSchema,
		Report: func(err error) { fmt.Fprintf(w.stderr, "policyctl: warning: %s\n", escape(errtext.Plain(err))) },
	})
	if err != nil {
		return harness.Answer{}, err
	}
	defer l.Close()
	for attempt := 0; ; attempt++ {
		answer, err := a.askOnce(ctx, l)
		// A hook beside this one has used the same answer, or a kernel has the session.
		if !errors.Is(err, gate.ErrNotReady) && !errors.Is(err, gate.ErrTakenOver) {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return answer, err
		case <-time.After(backOff(attempt)):
		}
	}
}

// backOff is how long to leave it to others, so that each gets its turn: a random time that
// grows to a fifth of a second.
func backOff(attempt int) time.Duration {
	return time.Millisecond + rand.N(10*time.Millisecond<<min(attempt, 4))
}

func (a *approvalRun) askOnce(ctx context.Context, l *local.Local) (harness.Answer, error) {
	items, err := a.known(ctx, l)
	if err != nil {
		return harness.Answer{}, err
	}
	var session *gate.Session
	if items == nil || !waits(items) {
		if session, err = l.Gate.Join(ctx, a.Session); err != nil {
			return harness.Answer{}, err
		}
	}
	if items == nil {
		plan, err := session.Plan(ctx, a.Request.Calls[0].ID, a.planned())
		if err != nil {
			return harness.Answer{}, err
		}
		items = plan.Items
	}
	if items, err = a.await(ctx, l, items); err != nil {
		return harness.Answer{}, err
	}
	if session == nil && !waits(items) {
		if session, err = l.Gate.Join(ctx, a.Session); err != nil {
			return harness.Answer{}, err
		}
	}
	return a.settle(ctx, session, items)
}

// planned returns the calls with an id each: those of one turn must differ.
func (a *approvalRun) planned() []plangate.Call {
	calls := append([]plangate.Call(nil), a.Request.Calls...)
	for i := 1; i < len(calls); i++ {
		calls[i].ID = fmt.Sprintf("%s#%d", calls[i].ID, i+1)
	}
	return calls
}

// known returns the items of this session that are the very same calls and wait, or were
// answered and not used yet; nil if any of them is missing.
func (a *approvalRun) known(ctx context.Context, l *local.Local) ([]gate.Item, error) {
	var found []gate.Item
	err := l.Store.View(ctx, func(r gate.Reader) error {
		found = nil
		all, err := r.Items(gate.Filter{
			Session: a.Session, States: []gate.State{gate.Waiting, gate.Ready}, Limit: gate.MaxPage,
		})
		if err != nil {
			return err
		}
		for i := range a.Request.Calls {
			item := a.same(all, &a.Request.Calls[i])
			if item == nil {
				found = nil
				return nil
			}
			found = append(found, *item)
		}
		return nil
	})
	return found, err
}

// same returns the newest item that is a call and may still be used for it.
func (a *approvalRun) same(items []gate.Item, call *plangate.Call) *gate.Item {
	lasts := a.Settings.Approvals.ExpiresIn
	for i := len(items) - 1; i >= 0; i-- {
		item := &items[i]
		input := item.Call.Input
		if item.Original != nil {
			input = item.Original
		}
		fresh := item.State == gate.Waiting && item.Expires.After(a.now()) ||
			item.State == gate.Ready && item.Answer != nil && item.Answer.At.Add(lasts).After(a.now())
		if fresh && samePlace(&item.Call, call) && sameJSON(input, call.Input) {
			return item
		}
	}
	return nil
}

// samePlace reports whether two calls of the same arguments would do the same: in another
// directory `rm -r build` is another call.
func samePlace(a, b *plangate.Call) bool {
	return a.Provider == b.Provider && a.Operation == b.Operation && a.Cwd == b.Cwd && a.Workspace == b.Workspace &&
		a.Home == b.Home && a.Profile == b.Profile
}

func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var left, right any
	for text, value := range map[*json.RawMessage]*any{&a: &left, &b: &right} {
		decoder := json.NewDecoder(bytes.NewReader(*text))
		decoder.UseNumber() // large numbers must not become the same
		if decoder.Decode(value) != nil {
			return false
		}
	}
	return reflect.DeepEqual(left, right)
}

func waits(items []gate.Item) bool {
	for i := range items {
		if items[i].State == gate.Waiting {
			return true
		}
	}
	return false
}

// await waits for answers as long as it was told to, and returns the items as they are.
func (a *approvalRun) await(ctx context.Context, l *local.Local, items []gate.Item) ([]gate.Item, error) {
	if a.Wait <= 0 || !waits(items) {
		return items, nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	changed, err := l.Gate.Watch(ctx)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for waits(items) {
		select {
		case <-ctx.Done():
			return items, nil
		case <-changed:
		case <-tick.C:
		}
		for i := range items {
			item, err := l.Gate.Item(ctx, items[i].ID)
			if ctx.Err() != nil {
				return items, nil
			}
			if err != nil {
				return nil, err
			}
			items[i] = item
		}
	}
	return items, nil
}

// settle turns the items into an answer. What is allowed is claimed, so that an answer
// lets one call run and no second one.
func (a *approvalRun) settle(ctx context.Context, session *gate.Session, items []gate.Item) (harness.Answer, error) {
	for i := range items {
		if items[i].State == gate.Denied {
			return harness.Answer{Reason: items[i].Text}, nil
		}
	}
	if waits(items) {
		return pendingAnswer(items), nil
	}
	answer := harness.Answer{Verdict: harness.Allow}
	for i := range items {
		item, err := session.Claim(ctx, items[i].ID)
		var refused *gate.PolicyDenies
		switch {
		case errors.As(err, &refused):
			return harness.Answer{Reason: refused.Error()}, nil
		case err != nil:
			return harness.Answer{}, err
		}
		output, _ := json.Marshal("handed to " + a.CLI.Name) // cannot fail: a string
		if _, err := session.Complete(ctx, item.ID, gate.Result{Output: output}); err != nil {
			return harness.Answer{}, err
		}
		if item.Original == nil {
			continue
		}
		if len(items) > 1 || !a.CLI.CanModify || !sameJSON(item.Original, a.Request.Input) {
			return harness.Answer{Reason: "The call was allowed with other arguments, which this CLI cannot be given."}, nil
		}
		answer.Input = item.Call.Input
	}
	answer.Reason = "A human allowed this call."
	return answer, nil
}

// pendingAnswer tells the model to wait, and the human how to answer.
func pendingAnswer(items []gate.Item) harness.Answer {
	var ids []string
	for i := range items {
		if items[i].State == gate.Waiting {
			ids = append(ids, items[i].ID)
		}
	}
	return harness.Answer{
		Reason: fmt.Sprintf("Pending approval %s: a human has to allow this call. Do not try another way. "+
			"Say that it waits, and make the very same call again once it is answered.", strings.Join(ids, ", ")),
		Notice: fmt.Sprintf("Plangate asks about this call. Answer with: policyctl approvals allow %s", strings.Join(ids, " ")),
	}
}
