package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/plangate/plangate"
)

// Limits of what is read from an external implementation.
const (
	MaxLineBytes   = 16 << 20 // bytes of one line of the protocol
	maxStderrBytes = 4 << 10  // bytes of standard error kept for messages
)

// Process is an implementation in another program. It is started when it is
// first needed and again after it failed, so that one bad answer costs one
// vector. Close must be called at the end.
type Process struct {
	argv    []string
	timeout time.Duration
	running *child // nil if not started
}

// NewProcess returns an implementation that runs argv. Each request must be
// answered within timeout; otherwise the process and its whole group are killed.
func NewProcess(argv []string, timeout time.Duration) *Process {
	return &Process{argv: argv, timeout: timeout}
}

// Answer sends a request and reads one line. The error says what went wrong and
// ends with what the process last wrote to its standard error.
func (p *Process) Answer(ctx context.Context, request Request) (Response, error) {
	line, err := json.Marshal(request)
	if err != nil {
		return Response{}, err
	}
	if p.running == nil {
		started, err := startChild(p.argv)
		if err != nil {
			return Response{}, fmt.Errorf("cannot start the implementation: %w", err)
		}
		p.running = started
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout, fmt.Errorf("no answer within %s", p.timeout))
	defer cancel()
	response, err := p.running.exchange(ctx, append(line, '\n'))
	if err != nil {
		err = p.running.explain(err)
		p.stop()
	}
	return response, err
}

// Close ends the process.
func (p *Process) Close() error {
	p.stop()
	return nil
}

func (p *Process) stop() {
	if p.running != nil {
		p.running.kill()
		p.running = nil
	}
}

// child is one run of the program.
type child struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	lines   *bufio.Reader
	stderr  *head
}

func startChild(argv []string) (*child, error) {
	if len(argv) == 0 {
		return nil, errors.New("the command is empty")
	}
	c := &child{command: exec.Command(argv[0], argv[1:]...), stderr: new(head)}
	c.command.Stderr = c.stderr
	// A grandchild may keep standard error open after the group was killed.
	c.command.WaitDelay = time.Second
	ownGroup(c.command)
	var err error
	if c.in, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.command.StdoutPipe(); err != nil {
		return nil, err
	}
	c.lines = bufio.NewReader(c.out)
	return c, c.command.Start()
}

type answer struct {
	response Response
	err      error
}

// exchange writes and reads in another goroutine, which kill sets free.
func (c *child) exchange(ctx context.Context, line []byte) (Response, error) {
	done := make(chan answer, 1)
	go func() {
		response, err := c.converse(line)
		done <- answer{response, err}
	}()
	select {
	case a := <-done:
		return a.response, a.err
	case <-ctx.Done():
		c.kill()
		<-done
		return Response{}, context.Cause(ctx)
	}
}

func (c *child) converse(line []byte) (Response, error) {
	if _, err := c.in.Write(line); err != nil {
		return Response{}, fmt.Errorf("the implementation does not read its input: %w", err)
	}
	text, err := readLine(c.lines)
	if err != nil {
		return Response{}, fmt.Errorf("the implementation gave no answer: %w", err)
	}
	return parseResponse(text)
}

func parseResponse(text []byte) (Response, error) {
	var response Response
	if err := plangate.CheckJSON(text); err != nil {
		return response, fmt.Errorf("the answer is not one JSON value a line: %w", err)
	}
	if err := json.Unmarshal(text, &response); err != nil {
		return response, fmt.Errorf("the answer is malformed: %w", err)
	}
	return response, nil
}

// kill ends the process and its group and frees everything. It may be called twice.
func (c *child) kill() {
	killGroup(c.command)
	_ = c.in.Close()
	_ = c.out.Close()
	_ = c.command.Wait()
}

// explain adds what the process said on standard error.
func (c *child) explain(err error) error {
	c.kill()
	if text := strings.TrimSpace(c.stderr.String()); text != "" {
		return fmt.Errorf("%w; standard error: %q", err, text)
	}
	return err
}

// readLine reads up to a line feed or the end, at most [MaxLineBytes]. The end
// without any text is [io.EOF].
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > MaxLineBytes:
			return nil, fmt.Errorf("a line is longer than %d bytes", MaxLineBytes)
		case err == nil || errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// head keeps the first bytes that are written to it and drops the rest.
type head struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer] and never fails.
func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), maxStderrBytes-len(h.text))]...)
	return len(p), nil
}

// String returns what was kept.
func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
}
