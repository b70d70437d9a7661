package persist

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/plangate/plangate/gate"
)

// Settings of SQLite.
const (
	// busyTimeout is how long SQLite waits for another process, in milliseconds, and
	// busyTries how often that is repeated.
	busyTimeout = "3000"
	busyTries   = 3
	// applicationID marks the file as a store ("PLGT").
	applicationID = 0x504c4754
	// readers is how many connections read at once.
	readers = 4
)

var sqliteDialect = dialect{
	beginWrite: "BEGIN IMMEDIATE",
	beginRead:  "BEGIN",
	hasTable:   "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'plangate_meta'",
	migrations: "sqlite",
	classify:   classifySQLite,
	conflicts:  busyTries,
	broken:     func(any) bool { return false },
	refused:    func(err error) bool { return sqliteCode(err) == sqlite3.SQLITE_BUSY },
}

// OpenSQLite opens the store in a file and makes the file, and its directory, if
// there is none. Beside the file NAME live SQLite's NAME-wal and NAME-shm, and NAME.lock
// so that one process opens at a time. A damaged file is set aside as
// NAME.damaged-TIME and the store starts empty: see [DB.Damage].
//
// The file must be on a local disk: SQLite's locks and shared memory do not work over
// a network.
func OpenSQLite(ctx context.Context, path string, opts Options) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("persist: %w", err)
	}
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	f := file{path: path, clock: opts.Clock, check: opts.Check}
	unlock, err := f.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	damage, err := f.ready(ctx)
	if err != nil {
		return nil, err
	}
	db, err := openPools(f)
	if err != nil {
		return nil, err
	}
	db.damage = damage
	if err := db.setUp(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// openPools makes the connections to a file that is ready.
func openPools(f file) (*DB, error) {
	opened, err := os.Stat(f.path)
	if err != nil {
		return nil, fmt.Errorf("persist: %w", err)
	}
	write, err := f.open(nil)
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1) // the others would only wait for it
	read, err := f.open(url.Values{"_query_only": {"1"}})
	if err != nil {
		return nil, err
	}
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	watch, err := f.open(url.Values{"_query_only": {"1"}})
	if err != nil {
		return nil, err
	}
	watch.SetMaxOpenConns(1)
	d := sqliteDialect
	return &DB{
		dialect: &d, write: write, read: read, closed: make(chan struct{}),
		hub:       newHub(changeCounter{watch}.follow),
		verify:    func() error { return f.unmoved(opened) },
		afterStop: func() { _ = watch.Close() },
	}, nil
}

// setUp makes the log and the schema.
func (db *DB) setUp(ctx context.Context) error {
	var mode string
	if err := db.write.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return db.dialect.fail(ctx, "set up the log", err).err
	}
	if mode != "wal" {
		return fmt.Errorf("persist: %w: SQLite cannot keep a write-ahead log here (it offers %q); use a local disk", gate.ErrStoreUnavailable, mode)
	}
	if err := db.migrate(ctx); err != nil {
		return err
	}
	return db.mark(ctx)
}

// mark says whose file it is, once.
func (db *DB) mark(ctx context.Context) error {
	var id int
	err := db.write.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	if err == nil && id != applicationID {
		_, err = db.write.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	}
	if err != nil {
		return db.dialect.fail(ctx, "mark the file", err).err
	}
	return nil
}

// open returns a pool of connections to the file, which must be there.
func (f file) open(more url.Values) (*sql.DB, error) {
	query := url.Values{
		"mode":          {"rw"},
		"_busy_timeout": {busyTimeout},
		"_synchronous":  {"FULL"},
		"_defensive":    {"1"},
		"_dqs":          {"0"},
		// fullfsync: on a Mac, fsync alone does not reach the disk.
		"_pragma": {"trusted_schema(0)", "cell_size_check(1)", "fullfsync(1)", "checkpoint_fullfsync(1)"},
	}
	for name, values := range more {
		query[name] = values
	}
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(f.path), RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("persist: %w", err)
	}
	return db, nil
}

// unmoved refuses to go on with a file that is no longer at its path: somebody set it
// aside or put back a copy, and others use what is there now.
func (f file) unmoved(opened os.FileInfo) error {
	now, err := os.Stat(f.path)
	if err == nil && os.SameFile(opened, now) {
		return nil
	}
	return fmt.Errorf("persist: %w: %s was moved or replaced since it was opened; open it again", gate.ErrStoreUnavailable, f.path)
}

// sqliteCode is the primary result code of an error, or -1 if it is none of SQLite's.
func sqliteCode(err error) int {
	var failed *sqlite.Error
	if errors.As(err, &failed) {
		return failed.Code() & 0xff
	}
	return -1
}

func classifySQLite(err error) failureKind {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return unavailable
	}
	switch failed.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return duplicate
	}
	switch sqliteCode(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return conflict
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return damaged
	}
	return unavailable
}

// changeCounter hears of changes of other connections to a file.
type changeCounter struct{ db *sql.DB }

// follow looks at the counter once per second until ctx ends.
func (c changeCounter) follow(ctx context.Context, wake func()) {
	var last int64
	var conn *sql.Conn
	defer func() {
		if conn != nil {
			_ = conn.Close()
		}
	}()
	poll(ctx, func() {
		if conn == nil {
			var err error
			if conn, err = c.db.Conn(ctx); err != nil {
				conn = nil
				return
			}
			last = 0 // counters of two connections cannot be compared
		}
		var version int64
		if err := conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil {
			_ = conn.Close()
			conn = nil
			return
		}
		if version != last {
			last = version
			wake()
		}
	})
}
