package gate

import (
	"errors"
	"fmt"
	"time"

	"github.com/plangate/plangate"
)

// Coder is an error with a stable code for the wire (spec GAT-40).
type Coder interface {
	error
	Code() string
}

// Code returns the code of an error, or "internal" if it has none.
func Code(err error) string {
	if coder, ok := errors.AsType[Coder](err); ok {
		return coder.Code()
	}
	return "internal"
}

// codedError is an error that needs no more than its code and a sentence.
type codedError struct{ code, text string }

// Error implements error.
func (e *codedError) Error() string { return "gate: " + e.text }
func (e *codedError) Code() string  { return e.code }

// Errors without further data; test for them with errors.Is.
var (
	// ErrNotPending is matched by AlreadyAnswered, Superseded and every other error
	// about an item that no longer waits for an answer, except Expired.
	ErrNotPending = &codedError{"not_pending", "the item does not wait for an answer"}
	// ErrStale means that the digest of a verdict is not that of the item: it answers
	// something else than what is there.
	ErrStale = &codedError{"stale", "the answer was given to another call than this one; look at it again"}
	// ErrNoPolicyStore means that a verdict for always cannot be written, so it was
	// not applied in any scope.
	ErrNoPolicyStore = &codedError{"no_policy_store", "there is no policy file to write to, so nothing can be answered for always"}
	// ErrVerdict means that a verdict is not complete or contradicts itself.
	ErrVerdict = &codedError{"invalid_verdict", "the verdict is not valid"}
	// ErrPlan means that a plan was asked for with arguments that no plan can have.
	ErrPlan = &codedError{"invalid_plan", "the plan is not valid"}
	// ErrResult means that a result has neither or both of output and error, or is
	// too large.
	ErrResult = &codedError{"invalid_result", "a result has either an output or an error"}
	// ErrTakenOver means that another kernel opened the session since.
	ErrTakenOver = &codedError{"session_taken_over", "another kernel has opened this session; this one may not run anything any more"}
	// ErrNotReady is matched by every error of Claim about the state of an item.
	ErrNotReady = &codedError{"not_ready", "the item is not ready to run"}
	// ErrHeld means that the item is allowed and others of its plan still wait.
	ErrHeld = &codedError{"held", "other items of the plan still wait, and the policy holds the batch"}
	// ErrNotRunning means that an item cannot be completed because it does not run.
	ErrNotRunning = &codedError{"not_running", "the item is not running"}
	// ErrUnsettled means that a plan has items that are not final.
	ErrUnsettled = &codedError{"unsettled", "an item of the plan has no outcome yet"}
	// ErrAudit means that a record could not be written although the policy requires
	// it.
	ErrAudit = &codedError{"audit_failed", "the audit record could not be written"}
	// ErrHook means that a transforming hook failed; nothing was planned.
	ErrHook = &codedError{"hook_error", "a hook failed"}
)

// AlreadyAnswered is the error for an answer that came second. It matches
// ErrNotPending.
type AlreadyAnswered struct {
	Decision plangate.Action
	Actor    string
	At       time.Time
}

// Error implements error.
func (e *AlreadyAnswered) Error() string {
	return fmt.Sprintf("gate: already answered: %s by %s at %s", e.Decision, e.Actor, e.At.Format(time.RFC3339))
}

// Code implements Coder.
func (e *AlreadyAnswered) Code() string { return "already_answered" }

// Is makes the error match ErrNotPending.
func (e *AlreadyAnswered) Is(target error) bool { return target == error(ErrNotPending) }

// Superseded is the error for an answer to an item that a newer user message has
// ended. It matches ErrNotPending.
type Superseded struct{ At time.Time }

// Error implements error.
func (e *Superseded) Error() string {
	return fmt.Sprintf("gate: a newer user message superseded this call at %s; nothing ran", e.At.Format(time.RFC3339))
}

// Code implements Coder.
func (e *Superseded) Code() string { return "superseded" }

// Is makes the error match ErrNotPending.
func (e *Superseded) Is(target error) bool { return target == error(ErrNotPending) }

// Expired is the error for an answer that came too late.
type Expired struct{ At time.Time }

// Error implements error.
func (e *Expired) Error() string {
	return fmt.Sprintf("gate: expired at %s; nothing ran, the call has to be made again", e.At.Format(time.RFC3339))
}

// Code implements Coder.
func (e *Expired) Code() string { return "expired" }

// InvalidCorrection is the error for a corrected input that the operation does not
// accept. The item still waits, with its own input.
type InvalidCorrection struct{ Reason string }

// Error implements error.
func (e *InvalidCorrection) Error() string {
	return "gate: the corrected input is not valid: " + e.Reason
}

// Code implements Coder.
func (e *InvalidCorrection) Code() string { return "invalid_correction" }

// PolicyDenies is the error for an allow that policy no longer permits, or never
// did for the corrected input. The item is denied.
type PolicyDenies struct{ Decision plangate.Decision }

// Error implements error.
func (e *PolicyDenies) Error() string {
	return fmt.Sprintf("gate: the policy in force denies this call (%s): %s", e.Decision.DecidedBy(), e.Decision.Reason())
}

// Code implements Coder.
func (e *PolicyDenies) Code() string { return "policy_denies" }

// PolicyBroken is the error for an allow or a claim while the policy does not load. The
// item is as it was.
type PolicyBroken struct{ Decision plangate.Decision }

// Error implements error.
func (e *PolicyBroken) Error() string { return "gate: " + e.Decision.Reason() }

// Code implements Coder.
func (e *PolicyBroken) Code() string { return "policy_invalid" }

// NotReady is the error for a claim on an item in another state than ready. It
// matches ErrNotReady.
type NotReady struct{ State State }

// Error implements error.
func (e *NotReady) Error() string { return fmt.Sprintf("gate: the item is %s", e.State) }

// Code implements Coder.
func (e *NotReady) Code() string { return "not_ready" }

// Is makes the error match ErrNotReady.
func (e *NotReady) Is(target error) bool { return target == error(ErrNotReady) }
