package writeback

import (
	"fmt"

	"github.com/plangate/plangate"
)

// Error is why nothing was written. Two errors with the same code are the same
// for [errors.Is], so the variables below can be tested for.
type Error struct {
	code   string
	reason string
	// Diagnostics say what is wrong with a policy, with file and range. They are
	// set with the code policy_invalid, and with others where a finding is the reason.
	Diagnostics plangate.Diagnostics
	cause       error
}

// The errors of this package; test for them with [errors.Is].
var (
	// ErrNoStore means that there is no policy file that could be written, or no
	// place for the state.
	ErrNoStore = &Error{code: "no_policy_store", reason: "there is no policy file that can be written"}
	// ErrChanged means that the file is not the one that was previewed or
	// written, or changes all the time.
	ErrChanged = &Error{code: "policy_changed", reason: "the policy file has changed"}
	// ErrWouldLoosen means that a deny, a guard or a decision hook stands against
	// the allow.
	ErrWouldLoosen = &Error{code: "would_loosen", reason: "it would loosen a deny or a guard"}
	// ErrTooBroad means that no policy can be as narrow as the call.
	ErrTooBroad = &Error{code: "too_broad", reason: "no policy can be as narrow as the call"}
	// ErrOutranked means that another rule comes first, so that the block would
	// have no effect.
	ErrOutranked = &Error{code: "outranked", reason: "another rule comes first"}
	// ErrReadOnly means that the file or its directory cannot be written.
	ErrReadOnly = &Error{code: "read_only", reason: "the policy file is read-only"}
	// ErrInvalid means that the policy does not load, now or with the change.
	ErrInvalid = &Error{code: "policy_invalid", reason: "the policy does not load"}
	// ErrNothing means that there is no change that could be undone.
	ErrNothing = &Error{code: "nothing_to_undo", reason: "there is nothing to undo"}
	// ErrJournal means that the journal cannot be believed. It is never
	// overwritten: somebody has to look at it and move it away.
	ErrJournal = &Error{code: "journal_damaged", reason: "the journal is damaged"}
	// ErrRequest means that the request itself is wrong.
	ErrRequest = &Error{code: "bad_request", reason: "the request is incomplete"}
)

// Error says what is wrong and what to do. Names in it are not escaped.
func (e *Error) Error() string { return "writeback: " + e.reason }

// Code is a stable word for programs.
func (e *Error) Code() string { return e.code }

// Reason is the text of the error without the name of the package.
func (e *Error) Reason() string { return e.reason }

// Is makes errors with the same code equal for [errors.Is].
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.code == e.code
}

// Unwrap returns the error of the file system behind it, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// because returns an error of the same code with its own reason.
func (e *Error) because(format string, args ...any) *Error {
	return &Error{code: e.code, reason: fmt.Sprintf(format, args...)}
}

// from returns an error of the same code about an error of the file system.
func (e *Error) from(cause error, format string, args ...any) *Error {
	out := e.because(format, args...)
	out.cause = cause
	return out
}

// found returns an error of the same code with findings, and the first of them
// as its reason.
func (e *Error) found(what string, findings plangate.Diagnostics) *Error {
	out := e.because("%s", what)
	for _, d := range findings {
		if d.Severity == plangate.SeverityError {
			out.Diagnostics = append(out.Diagnostics, d)
		}
	}
	if len(out.Diagnostics) > 0 {
		out.reason += ": " + out.Diagnostics[0].Error()
	}
	return out
}
