package decisionhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plangate/plangate"
)

// DefaultTimeout holds for a hook without a timeout.
const DefaultTimeout = 10 * time.Second

// Hook is an asker with what holds when it does not answer. It may be copied.
type Hook struct {
	Name  string // for messages
	Asker Asker
	// Timeout is how long an answer may take; zero or less is DefaultTimeout.
	Timeout time.Duration
	// OnError and OnTimeout are Deny or Ask. Anything else is Deny: a hook that
	// fails cannot allow.
	OnError   plangate.Action
	OnTimeout plangate.Action
}

// Failure says why a result is not the hook's own answer.
type Failure uint8

// The failures.
const (
	FailureNone    Failure = iota // the hook answered
	FailureError                  // it did not reach a decision
	FailureTimeout                // it did not answer in time
)

// String returns none, error or timeout.
func (f Failure) String() string {
	switch f {
	case FailureNone:
		return "none"
	case FailureError:
		return "error"
	case FailureTimeout:
		return "timeout"
	default:
		return fmt.Sprintf("Failure(%d)", uint8(f))
	}
}

// Result is a decision, whatever happened.
type Result struct {
	Answer  Answer
	Failure Failure
	// Err is nil exactly if Failure is FailureNone. It may carry text of the hook,
	// which Answer never does after a failure.
	Err error
}

// ErrTimeout is wrapped by the error of a result whose failure is FailureTimeout.
var ErrTimeout = errors.New("no answer in time")

var errNoReturn = errors.New("decisionhook: the function ended its goroutine without an answer")

// Decide asks and returns the decision at the latest when the timeout, q.Deadline or the
// deadline of ctx is over, whichever is first. The hook sees that instant as q.Deadline. A
// ctx that is cancelled is an error of the hook.
func (h Hook) Decide(ctx context.Context, q Question) Result {
	timeout := h.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if !q.Deadline.IsZero() {
		var cancelEarlier context.CancelFunc
		ctx, cancelEarlier = context.WithDeadline(ctx, q.Deadline)
		defer cancelEarlier()
	}
	q.Deadline, _ = ctx.Deadline()
	answer, err := h.ask(ctx, q)
	switch {
	case err == nil:
		return Result{Answer: answer}
	case errors.Is(err, ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return h.failed(FailureTimeout, err)
	default:
		return h.failed(FailureError, err)
	}
}

type reply struct {
	answer Answer
	err    error
}

// ask runs the asker in a goroutine of its own, which a function that ignores ctx keeps.
func (h Hook) ask(ctx context.Context, q Question) (Answer, error) {
	if h.Asker == nil {
		return Answer{}, errors.New("decisionhook: there is nobody to ask")
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	replies := make(chan reply, 1)
	go func() {
		r := reply{err: errNoReturn}
		defer func() { replies <- r }()
		r = safely(ctx, h.Asker, q)
	}()
	select {
	case r := <-replies:
		if late := ctx.Err(); late != nil && r.err == nil {
			return Answer{}, late
		}
		return r.answer, r.err
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// safely asks and makes an error of a panic. It checks also the answers of askers that are
// not ours.
func safely(ctx context.Context, asker Asker, q Question) (r reply) {
	defer func() {
		if cause := recover(); cause != nil {
			r = reply{err: fmt.Errorf("decisionhook: the hook panicked: %v", cause)}
		}
	}()
	answer, err := asker.Ask(ctx, q)
	if err == nil {
		err = answer.check()
	}
	return reply{answer, err}
}

// failed is the decision without an answer. Its texts are ours, since the model and the
// human will read them.
func (h Hook) failed(failure Failure, err error) Result {
	action, what := h.OnError, "failed"
	if failure == FailureTimeout {
		action, what = h.OnTimeout, "did not answer in time"
		if !errors.Is(err, ErrTimeout) {
			err = fmt.Errorf("decisionhook: %w: %w", ErrTimeout, err)
		}
	}
	name := ""
	if h.Name != "" {
		name = fmt.Sprintf(" %q", h.Name)
	}
	text := fmt.Sprintf("The decision hook%s %s, so it decided nothing.", name, what)
	answer := Answer{Message: text}
	if action == plangate.Ask {
		answer = Answer{Decision: plangate.Ask, Message: text, Prompt: text}
	}
	return Result{Answer: answer, Failure: failure, Err: err}
}
