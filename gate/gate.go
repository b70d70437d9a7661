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
	"github.com/plangate/plangate/catalog"
	"github.com/plangate/plangate/decisionhook"
	"github.com/plangate/plangate/eval"
)

// Limits. A call is bounded by plangate.MaxJSONBytes besides.
const (
	MaxCalls       = 1000     // calls of one plan
	MaxPlanBytes   = 64 << 20 // of their inputs
	MaxIDBytes     = 1 << 10  // id of a session, turn or call
	MaxActorBytes  = 256
	MaxTextBytes   = 16 << 10 // message of a verdict, prompt of a hook
	MaxPreview     = 1 << 20  // bytes of a preview; a larger one is left out
	MaxResultBytes = 4 << 20  // bytes of a result
)

// Policy is what is in force at one moment.
type Policy struct {
	Table *eval.Table
	// Catalog describes operations: descriptions, schemas, and what is visible to a
	// model. It may be nil.
	Catalog *catalog.Catalog
	// Ask is the decision hook; nil if there is none. Calls whose rule says hook then
	// get what holds without an answer.
	Ask DecisionHook
}

// Config is what a gate is made of. Policy, Store and Clock are required.
type Config struct {
	// Policy returns the policy in force. It is called for every plan, answer and
	// claim, concurrently, and must be quick: load once and look for changes.
	Policy func() Policy
	Store  Store
	Clock  func() time.Time
	// Hooks run in this order on every plan before policy decides.
	Hooks []Hook
	// Preview describes what a call would do; nil if nobody can.
	Preview Previewer
	// PreviewLimit bounds one preview; 0 is five seconds.
	PreviewLimit time.Duration
	// Write makes verdicts for always durable. Without it they are refused.
	Write PolicyWriter
	// Concurrency says what may run side by side; nil declares nothing safe.
	Concurrency func(provider, operation string) ConcurrencySpec
	// Log gets every audit record beside the store; nil for none.
	Log Log
	// Report is told of failures that change no decision, such as an observing hook or
	// a log under best_effort; nil ignores them.
	Report func(error)
}

// DecisionHook answers calls whose rule says hook. It always answers, and keeps its
// own deadline; package decisionhook has the ones there are.
type DecisionHook interface {
	Decide(ctx context.Context, question decisionhook.Question) decisionhook.Result
}

// Previewer describes what a call would do. It returns nil if it cannot say, which
// is ordinary.
type Previewer interface {
	Preview(ctx context.Context, call plangate.Call) (json.RawMessage, error)
}

// Log keeps audit records; [audit.Log] is one. Append without entries finds out
// whether the log can be written. It is called by one goroutine at a time.
type Log interface {
	Append(ctx context.Context, entries ...audit.Entry) ([]audit.Record, error)
}

// PolicyWriter turns a verdict into policy that lasts. Its errors have codes of their
// own (package persist/writeback) and are passed on.
type PolicyWriter interface {
	WriteAlways(ctx context.Context, always AlwaysVerdict) (place string, err error)
}

// AlwaysVerdict is a verdict that is to become policy. Writing the same one twice
// must change nothing the second time.
type AlwaysVerdict struct {
	Call   plangate.Call
	Action plangate.Action // allow or deny
	Actor  string
	Item   string // id of the approval
	At     time.Time
}

// Gate is the gate; see the package documentation. Make one with [New].
type Gate struct {
	config Config

	mu    sync.Mutex
	table *eval.Table // of which print is the fingerprint
	print string

	logging sync.Mutex
	backlog []audit.Entry // of steps that happened and are not in the log yet
}

// New returns a gate, or an error that names what is missing.
func New(config Config) (*Gate, error) {
	var missing error
	for name, absent := range map[string]bool{
		"Policy": config.Policy == nil, "Store": config.Store == nil, "Clock": config.Clock == nil,
	} {
		if absent {
			missing = errors.Join(missing, fmt.Errorf("gate: Config.%s is missing", name))
		}
	}
	if missing != nil {
		return nil, missing
	}
	for i, hook := range config.Hooks {
		if err := hook.check(); err != nil {
			return nil, fmt.Errorf("gate: hook %d: %w", i, err)
		}
	}
	if config.PreviewLimit == 0 {
		config.PreviewLimit = 5 * time.Second
	}
	if config.Report == nil {
		config.Report = func(error) {}
	}
	return &Gate{config: config}, nil
}

// now is the time in the precision of the store.
func (g *Gate) now() time.Time { return g.config.Clock().UTC().Truncate(time.Microsecond) }

// fingerprint returns the fingerprint of a table. It is kept for the last one, since
// making it takes time.
func (g *Gate) fingerprint(table *eval.Table) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.table != table {
		g.table, g.print = table, table.Fingerprint()
	}
	return g.print
}

// update runs a change in a transaction, with its audit records in the store as the
// last thing in it, and then writes them to the log: the log never tells of what did not
// happen. Under audit = "required" nothing is begun while the log cannot be written. If it
// fails right then, the caller gets ErrAudit and has to stop; the records are kept and
// written before any others (spec GAT-42).
func (g *Gate) update(ctx context.Context, mode eval.AuditMode, change func(Tx) ([]audit.Entry, error)) error {
	if err := g.log(ctx, nil); err != nil && mode == eval.AuditRequired {
		return err
	}
	var entries []audit.Entry
	err := g.config.Store.Update(ctx, func(tx Tx) (err error) {
		if entries, err = change(tx); err != nil || len(entries) == 0 {
			return err
		}
		return tx.Append(entries...)
	})
	if err != nil {
		return err
	}
	// The step has happened, so its record must not depend on the caller's patience.
	if err := g.log(context.WithoutCancel(ctx), entries); err != nil {
		if mode == eval.AuditRequired {
			return err
		}
		g.config.Report(err)
	}
	return nil
}

// maxBacklog bounds what is kept for a log that cannot be written. What is beyond is in
// the chain of the store.
const maxBacklog = 10_000

// log writes what is due to the log, and entries behind it.
func (g *Gate) log(ctx context.Context, entries []audit.Entry) error {
	if g.config.Log == nil {
		return nil
	}
	g.logging.Lock()
	defer g.logging.Unlock()
	due := slices.Concat(g.backlog, entries)
	if _, err := g.config.Log.Append(ctx, due...); err != nil {
		g.backlog = due[max(0, len(due)-maxBacklog):]
		return fmt.Errorf("%w: %w", ErrAudit, err)
	}
	g.backlog = nil
	return nil
}
