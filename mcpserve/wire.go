package mcpserve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plangate/plangate"
)

// wire is one client at the other end of two streams, with a message a line. Unlike the
// SDK's own it survives a line that cannot be read, and answers what it asked.
type wire struct {
	in       *bufio.Reader
	out      io.Writer
	lines    chan received
	closed   chan struct{}
	closing  sync.Once
	stopped  chan struct{} // closed when no more is to be read
	stopping sync.Once
	ended    func()        // called at the end of the input
	patience time.Duration // how long answers may take after it

	mu       sync.Mutex // guards what follows, and writing
	waiting  map[jsonrpc.ID]bool
	settled  chan struct{} // closed when nothing waits for an answer after the end
	over     bool
	settling sync.Once
}

// received is a message, or the end.
type received struct {
	message jsonrpc.Message
	err     error
}

func newWire(in io.Reader, out io.Writer) *wire {
	return &wire{
		in: bufio.NewReaderSize(in, 1<<16), out: out, lines: make(chan received), closed: make(chan struct{}), stopped: make(chan struct{}),
		waiting: map[jsonrpc.ID]bool{}, settled: make(chan struct{}), ended: func() {},
	}
}

// Connect implements [mcp.Transport].
func (w *wire) Connect(context.Context) (mcp.Connection, error) {
	// A read of standard input cannot be interrupted, so it is not waited for.
	go w.receive()
	return w, nil
}

// SessionID implements [mcp.Connection].
func (w *wire) SessionID() string { return "" }

// Close implements [mcp.Connection]. The streams are the caller's to close.
func (w *wire) Close() error {
	w.closing.Do(func() { close(w.closed) })
	return nil
}

// Read implements [mcp.Connection].
func (w *wire) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case got := <-w.lines:
		return got.message, got.err
	case <-w.stopped:
		w.finish()
		return nil, io.EOF
	case <-w.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// stop makes an end as the end of the input does.
func (w *wire) stop() { w.stopping.Do(func() { close(w.stopped) }) }

// Write implements [mcp.Connection]. It writes also after the context has ended: an answer
// that was decided is given.
func (w *wire) Write(_ context.Context, message jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if response, ok := message.(*jsonrpc.Response); ok {
		delete(w.waiting, response.ID)
		defer w.settle()
	}
	_, err = w.out.Write(append(line, '\n'))
	return err
}

// settle tells the end of the input that all is answered. The caller holds the lock.
func (w *wire) settle() {
	if w.over && len(w.waiting) == 0 {
		w.settling.Do(func() { close(w.settled) })
	}
}

func (w *wire) receive() {
	for {
		message, err := w.next()
		if err != nil {
			w.finish()
		}
		select {
		case w.lines <- received{message, err}:
		case <-w.stopped:
			w.forget(message)
			return
		case <-w.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// finish lets what was asked before the end of the input be answered.
func (w *wire) finish() {
	w.ended()
	w.mu.Lock()
	if !w.over {
		w.over = true
		w.settle()
	}
	w.mu.Unlock()
	late := time.NewTimer(w.patience)
	defer late.Stop()
	select {
	case <-w.settled:
	case <-late.C:
	case <-w.closed:
	}
}

// next returns the next message that can be read, and refuses those before it that cannot.
func (w *wire) next() (jsonrpc.Message, error) {
	for {
		line, about, err := w.line()
		blank := about == nil && len(line) == 0
		if err != nil && (blank || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		if blank {
			continue
		}
		message, why := decode(line, about)
		if why == "" {
			w.expect(message)
			return message, nil
		}
		if err != nil { // the last line is half a message
			return nil, io.ErrUnexpectedEOF
		}
		if err := w.refuse(line, about, why); err != nil {
			return nil, err
		}
	}
}

// expect remembers that a request has to be answered.
func (w *wire) expect(message jsonrpc.Message) {
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.waiting[request.ID] = true
	}
}

// forget is for a message that came too late.
func (w *wire) forget(message jsonrpc.Message) {
	if request, ok := message.(*jsonrpc.Request); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.waiting, request.ID)
		w.settle()
	}
}

func (w *wire) refuse(line []byte, about *outline, why string) error {
	if about == nil {
		about = &outline{}
		about.read(line)
	}
	answer := about.refusal(why)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over { // the server may have returned
		return nil
	}
	_, err := w.out.Write(answer)
	return err
}

// line reads a line, without the white space around it. One that is longer than MaxLine is
// not kept, but outlined.
func (w *wire) line() (line []byte, about *outline, err error) {
	for {
		part, err := w.in.ReadSlice('\n')
		switch {
		case about != nil:
			about.read(part)
		case len(line)+len(part) <= MaxLine:
			line = append(line, part...)
		default:
			about = &outline{}
			about.read(line)
			about.read(part)
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), about, err
		}
	}
}

// decode returns a message, or why it cannot be read.
func decode(line []byte, about *outline) (message jsonrpc.Message, why string) {
	if about != nil {
		return nil, "it is too long"
	}
	if err := plangate.CheckJSON(line); err != nil {
		return nil, err.Error()
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, "it is no message of JSON-RPC"
	}
	return message, ""
}
