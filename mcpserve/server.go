package mcpserve

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/harness"
)

// Limits of a server.
const (
	MaxCalls = 16       // tool calls that are worked on at once
	MaxLine  = 16 << 20 // bytes of a message
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
	// Judge answers one permission prompt. Its adapter reads and writes what the CLI
	// says; see [Prompt].
	Judge func(cli harness.Harness, payload []byte) harness.Output
	// Explain tells how a call would be decided, as text for people.
	Explain func(context.Context, plangate.Call) (string, error)
	// Pending returns the calls that wait for a human, without secrets.
	Pending func(ctx context.Context, limit int) (any, error)
	// Limit is how long a permission prompt may take; 0 is for ever.
	Limit time.Duration
}

// Server is an MCP server for one client.
type Server struct {
	opts  Options
	cli   harness.Harness
	mcp   *mcp.Server
	slots chan struct{}
}

// New returns a server with the tools.
func New(opts Options) *Server {
	s := &Server{
		opts: opts, cli: Prompt("mcp-" + rand.Text()), slots: make(chan struct{}, MaxCalls),
		mcp: mcp.NewServer(&mcp.Implementation{Name: "plangate", Version: opts.Version}, nil),
	}
	s.mcp.AddTool(&mcp.Tool{
		Name:        PromptTool,
		Description: "Decides a permission prompt by policy. For the CLI's --permission-prompt-tool, not for the model.",
		InputSchema: json.RawMessage(promptSchema),
	}, s.bounded(s.prompt))
	s.mcp.AddTool(&mcp.Tool{
		Name:        ExplainTool,
		Description: "Tells how the policy would decide a tool call, and why. Changes nothing.",
		InputSchema: json.RawMessage(explainSchema),
		Annotations: readOnly(),
	}, s.bounded(s.explain))
	s.mcp.AddTool(&mcp.Tool{
		Name:        PendingTool,
		Description: "Lists the tool calls that wait for a human's answer. It cannot answer them.",
		InputSchema: json.RawMessage(pendingSchema),
		Annotations: readOnly(),
	}, s.bounded(s.pending))
	return s
}

func readOnly() *mcp.ToolAnnotations {
	closed := false
	return &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
}

// Run serves until the input or the context ends, which is no error.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}, MaxLineLength: MaxLine})
	ended := ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed)
	if !ended {
		return err
	}
	return nil
}

// unclosed is an output that is the caller's to close.
type unclosed struct{ io.Writer }

// Close implements [io.Closer].
func (unclosed) Close() error { return nil }

// bounded is a handler for at most MaxCalls calls at once.
func (s *Server) bounded(handle func(context.Context, json.RawMessage) *mcp.CallToolResult) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
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
