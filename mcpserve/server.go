package mcpserve

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/harness"
)

// Limits of a server.
const (
	MaxCalls   = 16                    // prompts that are decided at once
	MaxReads   = 4                     // calls of the tools to read with that are worked on at once
	MaxWaiting = 64                    // prompts that wait for a human at once
	MaxLine    = plangate.MaxJSONBytes // bytes of a message
)

// Names of the tools.
const (
	PromptTool  = "permission_prompt"
	ExplainTool = "explain"
	PendingTool = "pending"
)

// Options is what a server is made of. The functions must be safe for concurrent use.
type Options struct {
	Version string // of the program, told to the client
	// Judge answers one permission prompt. Its context ends when nobody wants the answer
	// any more, and with the server, by [ErrEnding].
	Judge func(context.Context, *Question) harness.Output
	// Explain tells how a call would be decided, as text for people.
	Explain func(context.Context, plangate.Call) (string, error)
	// Pending returns the calls that wait for a human, without secrets.
	Pending func(ctx context.Context, limit int) (any, error)
	// Limit is how long a permission prompt may take, its turn included; 0 is for ever.
	Limit time.Duration
}

// Server is an MCP server for one client.
type Server struct {
	opts    Options
	cli     harness.Harness
	mcp     *mcp.Server
	calls   chan struct{} // holds an element for each call that is decided,
	reads   chan struct{} // that reads,
	waiting chan struct{} // or that waits for a human
	ended   chan struct{}
	once    sync.Once
}

// New returns a server with the tools.
func New(opts Options) *Server {
	s := &Server{
		opts: opts, cli: Prompt("mcp-" + rand.Text()),
		mcp:   mcp.NewServer(&mcp.Implementation{Name: "plangate", Version: opts.Version}, nil),
		calls: make(chan struct{}, MaxCalls), reads: make(chan struct{}, MaxReads), waiting: make(chan struct{}, MaxWaiting),
		ended: make(chan struct{}),
	}
	s.mcp.AddTool(&mcp.Tool{
		Name:        PromptTool,
		Description: "Decides a permission prompt by policy. For the CLI's --permission-prompt-tool, not for the model.",
		InputSchema: json.RawMessage(promptSchema),
	}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return s.prompt(ctx, req.Params.Arguments), nil
	})
	s.mcp.AddTool(&mcp.Tool{
		Name:        ExplainTool,
		Description: "Tells how the policy would decide a tool call, and why. Changes nothing.",
		InputSchema: json.RawMessage(explainSchema),
		Annotations: readOnly(),
	}, s.reading(s.explain))
	s.mcp.AddTool(&mcp.Tool{
		Name:        PendingTool,
		Description: "Lists the tool calls that wait for a human's answer. It cannot answer them.",
		InputSchema: json.RawMessage(pendingSchema),
		Annotations: readOnly(),
	}, s.reading(s.pending))
	return s
}

func readOnly() *mcp.ToolAnnotations {
	closed := false
	return &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
}

// Run serves until the input or the context ends, which is no error. A server runs once.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	defer s.end()
	w := newWire(in, out)
	w.ended, w.patience = s.end, drain
	if s.opts.Limit > 0 {
		w.patience = s.opts.Limit
	}
	stop := context.AfterFunc(ctx, w.stop)
	defer stop()
	err := s.mcp.Run(context.WithoutCancel(ctx), w)
	ended := ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed)
	if !ended {
		return err
	}
	return nil
}

// drain is how long calls may take after the end of the input, without a limit.
const drain = 10 * time.Second

// end lets go of everything that waits for a human.
func (s *Server) end() { s.once.Do(func() { close(s.ended) }) }

// ErrEnding is why a judge's context ends with the server: what can be decided at once still
// is, but there is no time for a human.
var ErrEnding = errors.New("mcpserve: the server ends")

// untilEnd returns a context that ends with the server too.
func (s *Server) untilEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.ended:
			cancel(ErrEnding)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// reading is a handler for at most MaxReads calls at once.
func (s *Server) reading(handle func(context.Context, json.RawMessage) *mcp.CallToolResult) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case s.reads <- struct{}{}:
			defer func() { <-s.reads }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return handle(ctx, req.Params.Arguments), nil
	}
}

func text(words string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: words}}}
}

// failure is a result that says why there is none.
func failure(format string, arguments ...any) *mcp.CallToolResult {
	result := text(fmt.Sprintf(format, arguments...))
	result.IsError = true
	return result
}
