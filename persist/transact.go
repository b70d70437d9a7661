package persist

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plangate/plangate/gate"
)

// Limits of a transaction.
const (
	// attemptTime bounds one run of a transaction on this side, in case that the
	// database neither answers nor fails. It is above the limits that the database
	// itself is told.
	attemptTime = 45 * time.Second
	// commitTime bounds COMMIT, which the caller's context does not end: half a commit
	// is the one thing that cannot be repeated.
	commitTime = 30 * time.Second
	// rollbackTime bounds giving up; a connection that takes longer is thrown away.
	rollbackTime = 5 * time.Second

	// minPause and maxPause bound the time between two runs.
	minPause = time.Millisecond
	maxPause = 400 * time.Millisecond
	// maxDuplicates is how often a transaction is repeated because a row appeared
	// that it had looked for in vain. The next run sees the row.
	maxDuplicates = 5
)

// access says whether a transaction writes.
type access int

const (
	reading access = iota
	writing
)

// transact runs body in a transaction, and again for as long as the database asks
// for it.
func (db *DB) transact(ctx context.Context, mode access, body func(*tx) error) error {
	tries := map[failureKind]int{}
	limits := map[failureKind]int{conflict: db.dialect.conflicts, lost: db.maxLost, duplicate: maxDuplicates}
	for {
		if ctx.Err() != nil {
			return ended(ctx)
		}
		err := db.attempt(ctx, mode, body)
		var again *repeat
		if !errors.As(err, &again) {
			return err
		}
		tries[again.kind]++
		if tries[again.kind] > limits[again.kind] {
			return again.err
		}
		_ = pause(ctx, tries[again.kind]) // the next round looks at ctx
	}
}

// repeatable reports whether another run may end otherwise.
func (f *failure) repeatable() bool {
	return f.kind == conflict || f.kind == lost || f.kind == duplicate
}

// repeat is the failure of an attempt that may be made again.
type repeat struct{ *failure }

// pause waits before the nth repetition, longer each time and never as long as
// others wait. It reports whether there is time left.
func pause(ctx context.Context, n int) bool {
	limit := min(maxPause, minPause<<min(n, 16))
	timer := time.NewTimer(limit/2 + rand.N(limit/2)) //nolint:gosec // spreads retries, keeps no secret
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// attempt runs body once. A *repeat says that nothing was written and another
// attempt makes sense.
func (db *DB) attempt(ctx context.Context, mode access, body func(*tx) error) error {
	attemptCtx, cancel := context.WithTimeoutCause(ctx, attemptTime, errNoAnswer)
	defer cancel()
	conn, err := db.begin(attemptCtx, mode)
	if err != nil {
		return db.outcome(ctx, err)
	}
	t := newTx(attemptCtx, db.dialect, conn, mode)
	committed := false
	defer func() {
		t.done = true
		if !committed {
			rollback(ctx, conn)
		}
		_ = conn.Close()
	}()
	bodyErr := body(t)
	t.done = true
	if err := t.settle(ctx, bodyErr); err != nil {
		return db.outcome(ctx, err)
	}
	if err := db.commit(ctx, conn); err != nil {
		return db.outcome(ctx, err)
	}
	committed = true
	return nil
}

// outcome marks what may be repeated. Only failures of the database are; the error
// of a callback is not looked into.
func (db *DB) outcome(ctx context.Context, err error) error {
	failed, ok := err.(*failure) //nolint:errorlint // one that a callback wrapped is the callback's
	if !ok {
		return err
	}
	switch {
	case db.isClosed():
		return fmt.Errorf("%w: %w", ErrClosed, failed.err)
	case ctx.Err() == nil && failed.repeatable():
		return &repeat{failed}
	}
	return failed.err
}

func (db *DB) isClosed() bool {
	select {
	case <-db.closed:
		return true
	default:
		return false
	}
}

// begin takes a connection and starts a transaction on it.
func (db *DB) begin(ctx context.Context, mode access) (*sql.Conn, error) {
	pool, begin := db.read, db.dialect.beginRead
	if mode == writing {
		pool, begin = db.write, db.dialect.beginWrite
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		// A connection that cannot be made now is not tried again here: the caller knows
		// better whether to wait.
		failed := db.dialect.fail(ctx, "connect", err)
		if failed.kind == lost {
			failed.kind = unavailable
		}
		return nil, failed
	}
	if _, err = conn.ExecContext(ctx, begin); err != nil {
		failed := db.dialect.fail(ctx, "begin", err)
		rollback(ctx, conn)
		_ = conn.Close()
		return nil, failed
	}
	if err := db.verify(); err != nil {
		rollback(ctx, conn)
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// rollback gives up a transaction. If that fails the connection is not used again,
// and the database drops the transaction with it.
func rollback(ctx context.Context, conn *sql.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
	defer cancel()
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}

// commit ends a transaction. It is not interrupted by ctx.
func (db *DB) commit(ctx context.Context, conn *sql.Conn) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	broken := false
	if err := conn.Raw(func(raw any) error { broken = db.dialect.broken(raw); return nil }); err != nil || broken {
		return &failure{lost, fmt.Errorf("persist: the connection broke before the commit: %w", gate.ErrStoreUnavailable)}
	}
	// From here on no error of the driver is proof that the statement was not sent:
	// pgx calls one safe to repeat whose answer it could not read.
	_, err := conn.ExecContext(ctx, "COMMIT")
	switch {
	case err == nil:
		return nil
	case db.dialect.refused(err):
		return db.dialect.fail(ctx, "commit", err)
	}
	return fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
}
