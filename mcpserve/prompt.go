package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/harness"
)

const promptSchema = `{
	"type": "object",
	"properties": {
		"tool_name": {"type": "string"},
		"input": {"type": "object"},
		"tool_use_id": {"type": "string"}
	},
	"required": ["tool_name", "input"]
}`

// prompted is what a CLI asks.
type prompted struct {
	Tool  string
	Input json.RawMessage
	ID    string
}

// answered is what a CLI takes: exactly these keys (facts of Claude Code 2.1.332).
type answered struct {
	Behavior string          `json:"behavior"`
	Input    json.RawMessage `json:"updatedInput,omitempty"` // older versions want it with an allow
	Message  string          `json:"message,omitempty"`      // needed with a deny
}

func denied(reason string) *mcp.CallToolResult {
	out, _ := json.Marshal(answered{Behavior: "deny", Message: reason}) // cannot fail: strings
	return text(string(out))
}

// Question is one permission prompt.
type Question struct {
	CLI     harness.Harness // reads and writes what the CLI says, see [Prompt]
	Payload []byte

	calls, waiting chan struct{} // of the server
}

// Idle runs what waits for a human, and lets another prompt be decided meanwhile. It returns
// false, without a wait, where [MaxWaiting] prompts wait.
func (q *Question) Idle(wait func()) bool {
	select {
	case q.waiting <- struct{}{}:
		defer func() { <-q.waiting }()
	default:
		return false
	}
	<-q.calls
	defer func() { q.calls <- struct{}{} }()
	wait()
	return true
}

func late() *mcp.CallToolResult {
	return denied("The policy gate had no time left to decide this call.")
}

// prompt answers one permission prompt. A judge that is given up keeps its turn until it
// ends, so that there are never more.
func (s *Server) prompt(ctx context.Context, arguments json.RawMessage) *mcp.CallToolResult {
	if s.opts.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.opts.Limit)
		defer cancel()
	}
	judging, cancel := s.untilEnd(ctx)
	defer cancel()
	done := make(chan *mcp.CallToolResult, 1)
	go func() {
		select {
		case s.calls <- struct{}{}:
			defer func() { <-s.calls }()
			done <- s.judge(judging, arguments)
		case <-ctx.Done():
		}
	}()
	select {
	case result := <-done:
		return result
	case <-ctx.Done():
		return late()
	}
}

func (s *Server) judge(ctx context.Context, arguments json.RawMessage) (result *mcp.CallToolResult) {
	defer func() {
		if defect := recover(); defect != nil {
			result = denied("The call is denied because of an internal error of the policy gate.")
		}
	}()
	output := s.opts.Judge(ctx, &Question{CLI: s.cli, Payload: arguments, calls: s.calls, waiting: s.waiting})
	if output.Code != 0 || !json.Valid(output.Stdout) {
		return denied("The policy gate could not decide this call.")
	}
	return text(string(output.Stdout))
}

// prompt is the adapter of the permission prompt: it reads the tool's arguments as the
// adapter of Claude Code reads its hook, and answers in the prompt's own shape.
type prompt struct {
	harness.Harness
	session string
}

// Prompt returns the adapter for the permission prompts of one session, which the CLI does
// not name. There is nobody behind it to ask, so an ask has to become an approval.
func Prompt(session string) harness.Harness {
	claude, _ := harness.Find("claude") // it is there
	return prompt{claude, session}
}

// Read implements [harness.Harness].
func (p prompt) Read(in harness.Input) (harness.Request, error) {
	asked, err := readPrompt(in.Payload)
	if err != nil {
		return harness.Request{}, fmt.Errorf("%w: %w", harness.ErrPayload, err)
	}
	in.Payload, err = json.Marshal(map[string]any{
		"hook_event_name": "PermissionRequest", "tool_name": asked.Tool, "tool_input": asked.Input, "tool_use_id": asked.ID,
		"cwd": in.Dir, "session_id": p.session,
	})
	if err != nil {
		return harness.Request{}, fmt.Errorf("%w: %w", harness.ErrPayload, err)
	}
	req, err := p.Harness.Read(in)
	req.Asks, req.Project = false, ""
	return req, err
}

// readPrompt reads the arguments of the tool. Ones that it does not know change nothing.
func readPrompt(text []byte) (asked prompted, err error) {
	if err := plangate.CheckJSON(text); err != nil {
		return asked, err
	}
	var members map[string]json.RawMessage // not a struct, which would take Tool_Name too
	if json.Unmarshal(text, &members) != nil || members == nil {
		return asked, errors.New("want an object with tool_name and input")
	}
	for name, into := range map[string]*string{"tool_name": &asked.Tool, "tool_use_id": &asked.ID} {
		if raw, ok := members[name]; ok && (raw[0] != '"' || json.Unmarshal(raw, into) != nil) {
			return asked, fmt.Errorf("%q is not a string", name)
		}
	}
	asked.Input = members["input"]
	if len(asked.Input) == 0 || asked.Input[0] != '{' {
		return asked, errors.New(`"input" is not an object`)
	}
	return asked, nil
}

// Answer implements [harness.Harness].
func (p prompt) Answer(req harness.Request, a harness.Answer) harness.Output {
	out := answered{Behavior: "deny", Message: a.Reason}
	if a.Verdict == harness.Allow {
		out = answered{Behavior: "allow", Input: req.Input}
		if a.Input != nil {
			out.Input = a.Input
		}
	} else if out.Message == "" {
		out.Message = "The policy gate does not allow this call."
	}
	written, err := json.Marshal(out)
	if err != nil { // arguments that are no JSON
		return p.Refuse("", "The policy gate could not write its answer.")
	}
	return harness.Output{Stdout: written}
}

// Refuse implements [harness.Harness].
func (p prompt) Refuse(_, reason string) harness.Output {
	return p.Answer(harness.Request{}, harness.Answer{Reason: reason})
}
