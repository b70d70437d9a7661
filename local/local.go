package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plangate/plangate/audit"
	"github.com/plangate/plangate/decisionhook"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/gate"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
	"github.com/plangate/plangate/persist"
	"github.com/plangate/plangate/persist/writeback"
)

// Options says what to put together. It is a plain value.
type Options struct {
	// Load says where policy is.
	Load layers.Options
	// Store and Log are where answers and records are; see [layers.State].
	Store, Log string
	// Check is how the file of the store is looked at when it is opened. The zero value
	// finds most damage and takes time with the size of the file; a program that is
	// started for each call takes persist.CheckSchema.
	Check persist.Check
	// Clock is the time; nil is time.Now.
	Clock func() time.Time
	// Report is told of failures that change no decision; nil ignores them.
	Report func(error)
	// Configure may add to the gate's configuration: hooks, previews, concurrency.
	Configure func(*gate.Config)
}

// Local is a gate with everything it needs.
type Local struct {
	Gate   *gate.Gate
	Store  *persist.DB
	Policy *load.Follower
	// LogFile is where the audit log is; "" without one.
	LogFile string
}

// Open puts a gate together. Close it in the end.
func Open(ctx context.Context, opts Options) (*Local, error) {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	state, err := layers.State{Store: opts.Store, Log: opts.Log}.Resolve(opts.Load.Places)
	if err != nil {
		return nil, err
	}
	opts.Load.State = slices.Concat(opts.Load.State, state.Files())
	l := &Local{Policy: load.Follow(opts.Load, opts.Clock), LogFile: state.Log}
	config := gate.Config{Clock: opts.Clock, Report: opts.Report, Write: &writer{opts.Load}}
	asker := &asker{}
	config.Policy = func() gate.Policy {
		policy := l.Policy.Policy()
		return gate.Policy{Table: policy.Table, Catalog: policy.Catalog, Ask: asker.of(policy.Table.Settings().Hook)}
	}
	if state.Log != "" {
		file, err := audit.Open(state.Log, audit.Options{Now: opts.Clock})
		if err != nil {
			return nil, err
		}
		config.Log = file
	}
	if l.Store, err = openStore(ctx, state.Store, &opts); err != nil {
		return nil, err
	}
	config.Store = l.Store
	if opts.Configure != nil {
		opts.Configure(&config)
	}
	if l.Gate, err = gate.New(config); err != nil {
		return nil, errors.Join(err, l.Store.Close())
	}
	return l, nil
}

// openStore opens the store and reports if it found a damaged file and set it aside.
func openStore(ctx context.Context, store string, opts *Options) (*persist.DB, error) {
	how := persist.Options{Clock: opts.Clock, Check: opts.Check}
	if layers.IsURL(store) {
		return persist.OpenPostgres(ctx, store, how)
	}
	db, err := persist.OpenSQLite(ctx, store, how)
	if err == nil && db.Damage() != nil && opts.Report != nil {
		opts.Report(fmt.Errorf("local: the store was damaged and begins anew, so nothing that waited is approved; "+
			"the damaged file is %s (%s)", db.Damage().Path, db.Damage().Reason))
	}
	return db, err
}

// Close closes the store.
func (l *Local) Close() error { return l.Store.Close() }

// writer writes verdicts for always into the policy in force.
type writer struct{ opts layers.Options }

// WriteAlways implements gate.PolicyWriter.
func (w *writer) WriteAlways(ctx context.Context, always gate.AlwaysVerdict) (place string, err error) {
	state := layers.StateDir(w.opts.Places)
	if state == "" {
		return "", gate.ErrNoPolicyStore
	}
	change, err := writeback.Write(ctx, writeback.Request{
		Target: writeback.Target{Options: w.opts, State: state},
		Call:   always.Call, Action: always.Action, Actor: always.Actor, Approval: always.Item, Time: always.At,
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s:%d", change.File, change.Line), nil
}

// asker keeps the decision hook of the policy in force, and its memory of answers.
type asker struct {
	mu       sync.Mutex
	settings *eval.HookSettings
	hook     gate.DecisionHook
}

// of returns the hook for settings, or nil if there is none.
func (a *asker) of(settings *eval.HookSettings) gate.DecisionHook {
	if settings == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.settings == nil || !sameHook(a.settings, settings) {
		a.settings, a.hook = settings, newHook(settings)
	}
	return a.hook
}

func sameHook(a, b *eval.HookSettings) bool {
	return strings.Join(a.Command, "\x00") == strings.Join(b.Command, "\x00") && a.URL == b.URL && a.Timeout == b.Timeout &&
		a.OnError == b.OnError && a.OnTimeout == b.OnTimeout
}

// newHook returns a hook for settings. Settings that no hook can be made of give one
// that fails.
func newHook(settings *eval.HookSettings) decisionhook.Hook {
	var asks decisionhook.Asker
	var err error
	if settings.URL != "" {
		asks, err = decisionhook.HTTP(settings.URL, decisionhook.HTTPOptions{})
	} else {
		asks, err = decisionhook.Command(settings.Command, decisionhook.CommandOptions{})
	}
	if err != nil {
		asks = decisionhook.Func(func(context.Context, decisionhook.Question) (*decisionhook.Answer, error) { return nil, err })
	}
	return decisionhook.Hook{
		Name: "decision_hook", Asker: decisionhook.NewMemo(asks), Timeout: settings.Timeout,
		OnError: settings.OnError, OnTimeout: settings.OnTimeout,
	}
}
