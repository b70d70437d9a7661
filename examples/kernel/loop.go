package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/renameio/v2"

	"github.com/plangate/plangate/gate"
)

// kernel is the agent loop of one session. All it keeps is the history, on disk; what
// was decided and answered is the gate's to remember.
type kernel struct {
	session *gate.Session
	tools   tools
	history []turn
	file    string // of the history
	out     io.Writer
}

// run goes on where the session was left, until the model is done or ctx ends.
func (k *kernel) run(ctx context.Context) error {
	if err := k.load(); err != nil {
		return err
	}
	for {
		if open := k.open(); open == nil {
			next := model(k.history)
			fmt.Fprintln(k.out, "model:", next.Text)
			if len(next.Calls) == 0 {
				return nil
			}
			k.history = append(k.history, next)
			if err := k.save(); err != nil {
				return err
			}
		}
		if err := k.settle(ctx); err != nil {
			return err
		}
	}
}

// open returns the turn whose results are missing, or nil.
func (k *kernel) open() *turn {
	if n := len(k.history); n > 0 && k.history[n-1].Results == nil {
		return &k.history[n-1]
	}
	return nil
}

// settle brings the last turn to its end: decide, run what may run, wait for people,
// hand the results to the model. After a restart it finds the plan as it was left.
func (k *kernel) settle(ctx context.Context) error {
	last := &k.history[len(k.history)-1]
	id := fmt.Sprintf("turn-%d", len(k.history))
	for i := range last.Calls {
		last.Calls[i].Cwd, last.Calls[i].Workspace = k.tools.dir, k.tools.dir
	}
	plan, err := k.session.Plan(ctx, id, last.Calls)
	if err != nil {
		return err
	}
	if err := k.apply(ctx, plan.Items); err != nil {
		return err
	}
	outcomes, err := k.session.Outcomes(ctx, id)
	for errors.Is(err, gate.ErrUnsettled) {
		woken, waitErr := k.session.Wait(ctx)
		if waitErr != nil {
			return waitErr
		}
		if err := k.apply(ctx, woken.Items); err != nil {
			return err
		}
		outcomes, err = k.session.Outcomes(ctx, id)
	}
	if err != nil {
		return err
	}
	last.Results = outcomes.Results
	for _, r := range last.Results {
		fmt.Fprintf(k.out, "  %s: %s %s%s%s", r.CallID, r.Kind, r.Result.Output, r.Result.Error, r.Text)
		if r.Note != "" {
			fmt.Fprintf(k.out, " (note: %s)", r.Note)
		}
		fmt.Fprintln(k.out)
	}
	return k.save()
}

// apply runs the items that are ready: those with the same concurrency key one after
// the other, the rest side by side.
func (k *kernel) apply(ctx context.Context, items []gate.Item) error {
	lanes := map[string][]gate.Item{}
	for _, item := range items {
		if item.State == gate.Ready {
			lanes[item.ConcurrencyKey] = append(lanes[item.ConcurrencyKey], item)
		}
		if item.State == gate.Waiting {
			fmt.Fprintf(k.out, "  %s: waits for an answer (%s)\n", item.Call.ID, item.DecidedBy)
		}
	}
	var wait sync.WaitGroup
	failures := make(chan error, len(items))
	for _, lane := range lanes {
		wait.Go(func() {
			for _, item := range lane {
				failures <- k.runItem(ctx, item)
			}
		})
	}
	wait.Wait()
	close(failures)
	var all error
	for err := range failures {
		all = errors.Join(all, err)
	}
	return all
}

// runItem claims, runs and completes one item. Without a claim nothing runs.
func (k *kernel) runItem(ctx context.Context, item gate.Item) error {
	claimed, err := k.session.Claim(ctx, item.ID)
	if _, denied := errors.AsType[*gate.PolicyDenies](err); denied {
		return nil // the policy has changed; the outcome says so
	}
	if err != nil {
		return err
	}
	_, err = k.session.Complete(ctx, item.ID, k.tools.run(ctx, claimed.Call))
	return err
}

func (k *kernel) load() error {
	text, err := os.ReadFile(k.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &k.history)
}

func (k *kernel) save() error {
	text, err := json.Marshal(k.history)
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Clean(k.file), text, 0o600)
}
