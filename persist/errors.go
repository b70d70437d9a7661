package persist

import (
	"context"
	"errors"
	"fmt"

	"github.com/plangate/plangate/gate"
)

// Errors of opening and committing; test for them with errors.Is.
var (
	// ErrNewerSchema means that a newer version of this program made the store. It was
	// left as it is; update this program.
	ErrNewerSchema = errors.New("persist: the store was made by a newer version of this program; update this one")
	// ErrForeign means that the file holds something else than a store, so it was
	// left as it is. Name another file.
	ErrForeign = errors.New("persist: the file is not a plangate store; name another one")
	// ErrUnsafeFile means that the file is a symbolic link, no regular file, or
	// somebody else's.
	ErrUnsafeFile = errors.New("persist: the file cannot be trusted")
	// ErrOutcomeUnknown means that the connection was lost during the commit: the
	// change was made or not. Read before trying again. It matches
	// gate.ErrStoreUnavailable too.
	ErrOutcomeUnknown = fmt.Errorf("persist: whether the change was made is not known, read before trying again: %w", gate.ErrStoreUnavailable)
	// ErrClosed means that Close was called, or that a Tx or Reader was used after its
	// callback returned.
	ErrClosed = errors.New("persist: used after its end")
	// ErrValue means that a value cannot be stored: text that is not UTF-8, raw JSON
	// that is not JSON, a time outside the years 1 to 9999.
	ErrValue = errors.New("persist: the value cannot be stored")
	// ErrLimit means that a list was asked for with a limit outside 1 to gate.MaxPage.
	ErrLimit = fmt.Errorf("persist: the limit of a list is 1 to %d", gate.MaxPage)
)

// failureKind says what can be done about an error of a database.
type failureKind int

const (
	// unavailable: nothing but to tell the caller.
	unavailable failureKind = iota
	// conflict: the database wants the transaction to be repeated.
	conflict
	// lost: the connection broke, and with it the transaction.
	lost
	// duplicate: a unique key is taken.
	duplicate
	// damaged: the file is not a sound database.
	damaged
	// raced: what a migration makes, somebody else made at the same moment.
	raced
)

// failure is an error of a transaction before its commit was sent; nothing was
// written.
type failure struct {
	kind failureKind
	err  error // what the caller gets if it is not repeated
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// errNoAnswer ends an attempt that took longer than attemptTime.
var errNoAnswer = fmt.Errorf("persist: no answer within %s: %w", attemptTime, gate.ErrStoreUnavailable)

// ended is the error for what a context has ended.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); errors.Is(cause, errNoAnswer) {
		return cause
	}
	return fmt.Errorf("persist: %w", ctx.Err())
}

// fail wraps an error of the database for the caller.
func (d *dialect) fail(ctx context.Context, doing string, err error) *failure {
	if ctx.Err() != nil {
		return &failure{unavailable, ended(ctx)}
	}
	return &failure{d.classify(err), fmt.Errorf("persist: %s: %w: %w", doing, gate.ErrStoreUnavailable, err)}
}
