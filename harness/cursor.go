package harness

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/plangate/plangate"
)

// cursor is Cursor, the editor and its agent CLI. It was not run: what is written here
// comes from its documentation.
type cursor struct{}

// The events of Cursor.
const (
	cursorTool  = "preToolUse"
	cursorShell = "beforeShellExecution"
	cursorMCP   = "beforeMCPExecution"
	cursorRead  = "beforeReadFile"
)

func (cursor) Info() *Info {
	return &Info{
		Name: "cursor", Title: "Cursor", Program: "cursor-agent", Version: []string{"--version"},
		Files: []ConfigFile{
			{Scope: ScopeUser, Path: "~/.cursor/hooks.json", Format: "json", Key: "hooks"},
			{Scope: ScopeProject, Path: ".cursor/hooks.json", Format: "json", Key: "hooks", Note: "read in a trusted workspace only"},
			{Scope: ScopeManaged, Path: "/etc/cursor/hooks.json", Format: "json", Key: "hooks"},
		},
		Events: []Event{
			{Name: cursorTool, Command: hookCommand("cursor"), Needed: true, Why: "sees every tool of the agent"},
			{Name: cursorShell, Command: hookCommand("cursor"), Why: "can ask, which preToolUse cannot"},
			{Name: cursorMCP, Command: hookCommand("cursor"), Why: "can ask, which preToolUse cannot"},
		},
		TimeoutKey: "timeout", TimeoutUnit: time.Second,
		FailClosed: "failClosed", FailClosedValue: "true",
		OnFailure: []FailureEffect{
			{FailMissing, Runs}, {FailCrash, Runs}, {FailExit1, Runs}, {FailExit2, Blocks}, {FailTimeout, Runs},
			{FailBadJSON, Runs}, {FailBadWord, Unknown}, {FailTwoTexts, Runs}, {FailNoReason, Unknown}, {FailExtraKey, Unknown},
		},
		CanAsk: true, CanModify: true, AskHeadless: "is not documented",
		Trust: "A project's hooks run in a trusted workspace only.",
		Unseen: []string{
			"web fetch and web search", "cloud agents see the hooks of the repository and of the team only",
			"the server of an MCP tool: its name alone is told",
		},
		Hardening: []string{`set "failClosed": true in every entry`, "use the enterprise file, which wins over all others"},
		Detail: []string{
			"how several hooks on a call are joined was not measured: expect that another may change the arguments after ours has seen them",
			"an allow does not override --auto-review or the CLI's own allowlist",
			"preToolUse accepts ask and does not enforce it, so it is written as a deny",
			"hooks in Claude Code's settings files are run too",
		},
	}
}

func (cursor) Read(in Input) (Request, error) {
	p, err := parsePayload(in.Payload)
	if err != nil {
		return Request{Event: in.Event}, err
	}
	req := cursorRequest(p, &in)
	id := p.text("tool_use_id")
	var calls []string
	switch req.Event {
	case cursorTool:
		req.Tool, req.Input = p.text("tool_name"), p.object("tool_input")
	case cursorShell:
		req.Tool, req.Input, calls = "Shell", p.only("command", "cwd"), []string{"bash"}
	case cursorMCP:
		p.ignore("url", "command")
		req.Tool, req.Input = "MCP:"+p.text("tool_name"), p.object("tool_input")
	case cursorRead:
		req.Tool, req.Input, calls = "Read", p.only("file_path"), []string{"read_file"}
	default:
		return req, fmt.Errorf("%w: the event %.64q is not about a tool call", ErrPayload, req.Event)
	}
	req.Asks = req.Event == cursorShell || req.Event == cursorMCP
	if err := p.finish(&req, &in); err != nil {
		return req, err
	}
	switch {
	case calls != nil:
		req.Calls = several("cursor", req.Input, calls...)
	case req.Tool == "Write":
		req.Calls = several("cursor", req.Input, "write_file", "edit_file")
	default:
		operation := operationOfCursor(req.Tool)
		req.Calls = resolve("cursor", operation, cursorMCPCalls(&req, in.Servers), &req)
	}
	identify(&req, &in, id)
	return req, nil
}

func cursorRequest(p *payload, in *Input) Request {
	p.ignore("generation_id", "model", "model_id", "model_params", "cursor_version", "user_email", "transcript_path",
		"agent_message", "sandbox", "attachments", "content")
	req := Request{Event: p.text("hook_event_name"), Session: p.text("conversation_id"), Cwd: p.text("cwd")}
	var roots []string
	if raw := p.get("workspace_roots"); raw != nil && json.Unmarshal(raw, &roots) != nil {
		p.wrong("workspace_roots", "a list of strings")
	}
	req.Project = in.env("CURSOR_PROJECT_DIR")
	if len(roots) > 0 {
		if !filepath.IsAbs(req.Cwd) {
			req.Cwd = roots[0]
		}
		if req.Project == "" {
			req.Project = roots[0]
		}
	}
	if req.Event == "" {
		req.Event = in.Event
	}
	if req.Event == "" {
		req.Event = cursorTool
	}
	return req
}

// cursorMCPCalls returns a call for each server that may offer the tool. Without a list
// of servers the name stands for itself, under the CLI's own.
func cursorMCPCalls(req *Request, servers []string) (calls []plangate.Call) {
	tool, ok := strings.CutPrefix(req.Tool, "MCP:")
	if !ok {
		return doubled(req.Tool, servers, req.Input)
	}
	for _, server := range servers {
		calls = append(calls, stranger(server, tool, req.Input))
	}
	if calls == nil {
		calls = append(calls, stranger("cursor", req.Tool, req.Input))
	}
	return calls
}

func (cursor) Answer(req Request, a Answer) Output {
	verdict := a.Verdict
	switch req.Event {
	case cursorTool, cursorRead, "":
		if verdict == Ask {
			verdict = Deny
		}
	case cursorShell, cursorMCP:
	default:
		return stop(a.reason())
	}
	type answer struct {
		Permission string          `json:"permission"`
		User       string          `json:"user_message,omitempty"`
		Agent      string          `json:"agent_message,omitempty"`
		Input      json.RawMessage `json:"updated_input,omitempty"`
	}
	switch {
	case verdict == NoOpinion:
		return silence()
	case verdict == Allow && (a.Input == nil || req.Event == cursorTool):
		return object(answer{Permission: "allow", Input: a.Input})
	case verdict == Allow:
		verdict = Deny // the other events take no arguments
	}
	if req.Event == cursorRead {
		return object(answer{Permission: verdict.String(), User: a.notice()})
	}
	return object(answer{Permission: verdict.String(), User: a.notice(), Agent: a.reason()})
}

func (c cursor) Refuse(event, reason string) Output {
	return c.Answer(Request{Event: event}, Answer{Reason: reason})
}
