package persist

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/plangate/plangate/gate"
)

// Options are what a caller may change; the zero value is right for most.
type Options struct {
	// Clock names files that are set aside; nil is time.Now.
	Clock func() time.Time
	// Check is how a SQLite file is checked before it is used.
	Check Check
	// MaxConns is the most connections to a database at once, without one for
	// Watch; 0 is 8.
	MaxConns int
}

// Check is how a SQLite file is checked before it is used.
type Check int

// The checks. CheckQuick reads the whole file once and looks at its structure;
// CheckFull also compares indexes with tables; CheckSchema only sees whether the file
// is a store at all, for short-lived processes beside one that has checked.
const (
	CheckQuick Check = iota
	CheckFull
	CheckSchema
)

// Damage says that a file was not a sound database and was set aside. The store
// started empty: what waited there has to be asked again, and nothing that was
// allowed there may run.
type Damage struct {
	// Path is where the file is now, with its log beside it.
	Path string
	// Reason is what SQLite found.
	Reason string
}

// DB is a store. It implements gate.Store.
type DB struct {
	dialect *dialect
	write   *sql.DB
	read    *sql.DB // the same as write where writers do not exclude each other
	hub     *hub
	damage  *Damage
	// verify reports whether the database is still the one that was opened.
	verify func() error
	// maxLost is how often a transaction is repeated after its connection broke.
	maxLost int

	closing   sync.Once
	closed    chan struct{}
	closeErr  error
	afterStop func()
}

var _ gate.Store = (*DB)(nil)

// Open opens a store: PostgreSQL for a URL that starts with postgres:// or
// postgresql://, SQLite for the path of a file, made if there is none.
func Open(ctx context.Context, url string) (*DB, error) {
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return OpenPostgres(ctx, url, Options{})
	}
	if scheme, _, found := strings.Cut(url, "://"); found {
		return nil, fmt.Errorf("persist: there is no store for %s://; give postgres:// or the path of a file", scheme)
	}
	return OpenSQLite(ctx, url, Options{})
}

// Damage returns what was wrong with the file if it was set aside when this DB was
// opened, else nil. Say it to the operator.
func (db *DB) Damage() *Damage { return db.damage }

// Close ends the DB: watchers' channels are closed and no transaction begins any
// more. It may be called again.
func (db *DB) Close() error {
	db.closing.Do(func() {
		close(db.closed)
		db.hub.close()
		db.closeErr = db.write.Close()
		if db.read != db.write {
			db.closeErr = errors.Join(db.closeErr, db.read.Close())
		}
		db.afterStop()
	})
	return db.closeErr
}

// Update implements gate.Store.
func (db *DB) Update(ctx context.Context, change func(gate.Tx) error) error {
	var wrote bool
	err := db.transact(ctx, writing, func(t *tx) error {
		defer func() { wrote = t.wrote }()
		return change(t)
	})
	if wrote && (err == nil || errors.Is(err, ErrOutcomeUnknown)) {
		db.hub.wake()
	}
	return err
}

// View implements gate.Store. Like change, read may run several times.
func (db *DB) View(ctx context.Context, read func(gate.Reader) error) error {
	return db.transact(ctx, reading, func(t *tx) error { return read(&t.reader) })
}

// Watch implements gate.Store.
func (db *DB) Watch(ctx context.Context) (<-chan struct{}, error) { return db.hub.watch(ctx) }
