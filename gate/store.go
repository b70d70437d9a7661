package gate

import (
	"context"
	"time"

	"github.com/plangate/plangate/audit"
)

// Errors of a store; test for them with errors.Is.
var (
	// ErrNotFound means that there is no such session, plan or item.
	ErrNotFound = &codedError{"not_found", "there is no such item"}
	// ErrDuplicate means that an id is taken.
	ErrDuplicate = &codedError{"duplicate", "the id is taken"}
	// ErrStoreUnavailable means that the store could not be reached or did not
	// answer in time. Whether the change was made is not known; read before trying
	// again. Nothing may run because of it.
	ErrStoreUnavailable = &codedError{"store_unavailable", "the store does not answer"}
)

// Store keeps sessions, plans, items and their audit records. Package persist has
// one for SQLite and one for PostgreSQL. It is safe for concurrent use, also by
// several processes and, with PostgreSQL, several machines.
type Store interface {
	// Update runs change in one transaction: either all of its writes are durable
	// when Update returns nil, or none is made. Rows that change reads are locked
	// until its end. The store may run change several times, if the database asks
	// for a transaction to be repeated, so change must not keep anything from an
	// earlier run. An error of change is returned as it is and nothing is written.
	Update(ctx context.Context, change func(Tx) error) error
	// View runs read on a consistent state that it cannot change. It may run read several
	// times.
	View(ctx context.Context, read func(Reader) error) error
	// Watch returns a channel that gets a value after a change by any process; many
	// changes may give one value, and a value may come without a change. A change of
	// another process is told within about a second. The channel is closed when ctx
	// ends.
	Watch(ctx context.Context) (<-chan struct{}, error)
}

// Reader reads. Lists are never longer than Filter.Limit.
type Reader interface {
	// Session returns a session, or ErrNotFound.
	Session(id string) (SessionRecord, error)
	// Plan returns the plan of a turn, or ErrNotFound.
	Plan(session, turn string) (PlanRecord, error)
	// Item returns an item, or ErrNotFound.
	Item(id string) (Item, error)
	// Items returns items ordered by creation time, to the nanosecond, then id. So the
	// items of a plan are in its order.
	Items(filter Filter) ([]Item, error)
	// Records returns audit records with a sequence above after, in order.
	Records(after uint64, limit int) ([]audit.Record, error)
}

// Tx reads and writes.
type Tx interface {
	Reader
	// PutSession creates or replaces a session.
	PutSession(s SessionRecord) error
	// PutPlan creates or replaces a plan. Another plan of the same session and turn
	// is ErrDuplicate.
	PutPlan(p PlanRecord) error
	// AddItems stores new items; a taken id, or a call id that its turn has already,
	// is ErrDuplicate.
	AddItems(items []Item) error
	// PutItem replaces an item.
	PutItem(item Item) error
	// Append adds records to the audit chain of the store.
	Append(entries ...audit.Entry) error
}

// SessionRecord is a session in the store.
type SessionRecord struct {
	ID string `json:"id"`
	// Epoch counts how often the session was opened. Only the kernel that opened it
	// last may plan and claim.
	Epoch  int       `json:"epoch"`
	Opened time.Time `json:"opened"`
}

// PlanRecord is a plan in the store, without its items.
type PlanRecord struct {
	ID      string    `json:"id"`
	Session string    `json:"session"`
	Turn    string    `json:"turn"`
	Items   int       `json:"items"`
	Created time.Time `json:"created"`
	// Settled is when all items were found final and their outcomes handed out.
	Settled time.Time `json:"settled,omitzero"`
}

// Filter selects items; zero fields select all.
type Filter struct {
	Session string
	Plan    string // id
	States  []State
	// ExpiresBy selects waiting items whose time ends at this instant or before.
	ExpiresBy time.Time
	// SessionVerdicts selects items that were answered for the session in this epoch
	// of it; 0 selects all.
	SessionVerdicts int
	// After continues a list behind an item that it ended with.
	After Cursor
	Limit int // 1 to MaxPage
}

// Cursor is a place in a list of items: that of an item which was in it.
type Cursor struct {
	Created time.Time
	ID      string
}

// MaxPage is the longest list of items that a store returns.
const MaxPage = 1000
