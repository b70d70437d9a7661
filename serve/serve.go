package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/plangate/plangate/gate"
)

// Protocol is the version of the protocol (spec SRV-1).
const Protocol = 1

// Limits of one connection.
const (
	MaxLine     = 8 << 20  // bytes of a request without its line feed
	MaxIDBytes  = 256      // of the id of a request, as it is written
	MaxRequests = 64       // at work at a time, not counting waits
	MaxBytes    = 32 << 20 // of the requests at work
	MaxWaits    = 256      // waits at a time; a further one is refused
	MaxSessions = 1024     // open at a time; a further one is refused
	MaxWait     = 24 * time.Hour
)

// Codes of the protocol, beside those of the gate.
const (
	CodeInvalidRequest = "invalid_request" // the line is no request
	CodeTooLong        = "too_long"        // the line is longer than MaxLine
	CodeUnknownMethod  = "unknown_method"
	CodeInvalidParams  = "invalid_params"
	CodeNotPermitted   = "not_permitted" // verdicts are not taken here
	CodeNotOpen        = "not_open"      // the session was not opened on this connection
	CodeBusy           = "busy"          // too many waits or sessions
	CodeCancelled      = "cancelled"     // a wait that was ended before anything happened
	CodeInternal       = "internal"
)

// Options of a server. Gate is required.
type Options struct {
	Gate *gate.Gate
	// Version is that of the program, for hello.
	Version string
	// RefuseVerdicts makes every resolve an error: questions are then answered
	// elsewhere, as with policyctl approvals.
	RefuseVerdicts bool
	// Advance moves the clock of the gate and returns its time. It exists for
	// conformance tests; nil, as it should be elsewhere, means that there is no method
	// test_clock.
	Advance func(time.Duration) time.Time
	// Report is told of defects of this program; nil ignores them.
	Report func(error)
}

// server is one connection.
type server struct {
	opts   Options
	write  sync.Mutex // one line at a time
	out    io.Writer
	stop   context.CancelCauseFunc
	work   sync.WaitGroup
	bounds bounds

	opening sync.Mutex // so that the session kept is the one opened last

	mu       sync.Mutex
	sessions map[string]*held
	flights  map[string]*flight // by key of the request's id
	waits    int
}

// flight is a request at work.
type flight struct {
	cancel context.CancelCauseFunc // nil if it cannot be cancelled
}

// held is a session that is open here.
type held struct {
	*gate.Session
	gone context.Context //nolint:containedctx // ends with the hold on the session, not with a request
	let  context.CancelFunc
}

// Causes of the end of a wait.
var (
	errEnded     = errors.New("the connection ends")
	errCancelled = errors.New("the client cancelled it")
	errGone      = errors.New("the session was closed or opened again")
)

// Serve answers requests from in until it ends or ctx does; then it finishes what is
// at work, ends waits, and returns nil. Its error is that of reading or writing. If ctx
// ends first, one goroutine stays behind until its read from in returns.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	if opts.Report == nil {
		opts.Report = func(error) {}
	}
	waiting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := &server{
		opts: opts, out: out, stop: stop,
		sessions: map[string]*held{}, flights: map[string]*flight{},
	}
	s.bounds.free.L = &s.bounds.mu
	err := s.read(waiting, in)
	stop(errEnded)
	s.work.Wait()
	if err != nil {
		return fmt.Errorf("serve: cannot read a request: %w", err)
	}
	if cause := context.Cause(waiting); errors.Is(cause, errWrite) {
		return cause
	}
	return nil
}

// read takes requests until the input or the context ends.
func (s *server) read(ctx context.Context, in io.Reader) error {
	lines := make(chan line)
	go readLines(ctx, in, lines)
	for {
		select {
		case <-ctx.Done():
			return nil
		case line := <-lines:
			switch {
			case errors.Is(line.err, io.EOF):
				return nil
			case line.err != nil:
				return line.err
			case line.tooLong:
				s.answer(nil, nil, fault(CodeTooLong, "the line is longer than %d bytes; it was not read", MaxLine))
			default:
				s.take(ctx, line.text)
			}
		}
	}
}

// take starts the work on one line, once there is room for it.
func (s *server) take(ctx context.Context, text []byte) {
	request, err := parseRequest(text)
	if err != nil {
		s.answer(request.id, nil, err)
		return
	}
	method, err := s.method(request.method)
	if err != nil {
		s.answer(request.id, nil, err)
		return
	}
	flight, ctx, err := s.board(ctx, &request, method.waits)
	if err != nil {
		s.answer(request.id, nil, err)
		return
	}
	size := len(text)
	if !method.waits {
		s.bounds.enter(size)
	}
	s.work.Go(func() {
		result, err := s.run(ctx, method, request.params)
		s.leave(request.key, flight)
		s.answer(request.id, result, err) // before its place is free: a client that does not read gets no more
		if !method.waits {
			s.bounds.leave(size)
		}
	})
}

// board notes that a request is at work and returns its context: only a wait ends with
// the connection, everything else is finished.
func (s *server) board(ctx context.Context, r *request, waits bool) (*flight, context.Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flights[r.key] != nil {
		r.id = nil // the answer to the other one has it
		return nil, nil, fault(CodeInvalidRequest, "a request with this id is at work; every request at work needs an id of its own")
	}
	f := &flight{}
	if !waits {
		ctx = context.WithoutCancel(ctx)
	} else {
		if s.waits == MaxWaits {
			return nil, nil, fault(CodeBusy, "%d waits are at work; end one first", MaxWaits)
		}
		s.waits++
		ctx, f.cancel = context.WithCancelCause(ctx)
	}
	s.flights[r.key] = f
	return f, ctx, nil
}

func (s *server) leave(key string, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flights, key)
	if f.cancel != nil {
		f.cancel(nil)
		s.waits--
	}
}

// run does the work. A panic is an error of this request alone.
func (s *server) run(ctx context.Context, m *method, params []byte) (result any, err error) {
	defer func() {
		if defect := recover(); defect != nil {
			s.opts.Report(fmt.Errorf("serve: internal error: %v\n%s", defect, debug.Stack()))
			result, err = nil, fault(CodeInternal, "an internal error of the gate; look at the item before trying again")
		}
	}()
	fields, err := readObject("params", params, m.keys...)
	if err != nil {
		return nil, err
	}
	return m.run(ctx, s, fields)
}

// bounds keeps what is at work within limits.
type bounds struct {
	mu              sync.Mutex
	free            sync.Cond
	requests, bytes int
}

// enter waits until there is room. One request alone always has.
func (b *bounds) enter(size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.requests > 0 && (b.requests == MaxRequests || b.bytes+size > MaxBytes) {
		b.free.Wait()
	}
	b.requests++
	b.bytes += size
}

func (b *bounds) leave(size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests--
	b.bytes -= size
	b.free.Signal()
}
