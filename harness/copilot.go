package harness

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/plangate/plangate"
)

// copilot is the GitHub Copilot CLI. Its events have two spellings, and each its own
// payload and answer.
type copilot struct{}

// The events of Copilot in its own spelling.
const (
	copilotTool       = "preToolUse"
	copilotPermission = "permissionRequest"
)

func (copilot) Info() *Info {
	return &Info{
		Name: "copilot", Title: "GitHub Copilot CLI", Tested: "1.0.102", Program: "copilot", Version: []string{"--version"},
		Files: []ConfigFile{
			{Scope: ScopeUser, Path: "~/.copilot/hooks/plangate.json", Env: "COPILOT_HOME", Format: "json", Key: "hooks"},
			{Scope: ScopeUser, Path: "~/.copilot/settings.json", Env: "COPILOT_HOME", Format: "json", Key: "hooks"},
			{Scope: ScopeProject, Path: ".github/hooks/plangate.json", Format: "json", Key: "hooks", Note: "read in a trusted folder only"},
			{Scope: ScopeManaged, Path: "/etc/github-copilot/policy.d/plangate.json", Format: "json", Key: "hooks", Note: "cannot be switched off"},
		},
		Events: []Event{
			{Name: copilotTool, Command: hookCommand("copilot", "--event", copilotTool), Needed: true, Why: "sees every call, also of unknown tools"},
			{Name: copilotPermission, Command: hookCommand("copilot", "--event", copilotPermission),
				Why: "denies once more where the CLI would ask; the command it shows lacks a leading `cd . &&`, so decide on preToolUse"},
		},
		TimeoutKey: "timeoutSec", TimeoutUnit: time.Second, DefaultTimeout: 30 * time.Second,
		OnFailure: []FailureEffect{
			{FailMissing, Blocks}, {FailCrash, Blocks}, {FailExit1, Blocks}, {FailExit2, Blocks}, {FailTimeout, Runs},
			{FailBadJSON, Runs}, {FailBadWord, Runs}, {FailTwoTexts, Runs}, {FailNoReason, Blocks}, {FailExtraKey, Blocks},
		},
		CanAsk: true, CanModify: true, AskHeadless: "is a deny",
		Trust: "A repository's hooks run in a trusted folder only; the user's need no trust.",
		Unseen: []string{
			"tools that run at the model's provider", "the cloud agent runs hooks of .github/hooks only",
		},
		RepoOff: []RepoSwitch{
			{File: ".github/copilot/settings.json", Setting: `"disableAllHooks": true`, Requires: "the folder is trusted"},
			{File: ".claude/settings.json", Setting: `"disableAllHooks": true`, Requires: "the folder is trusted"},
		},
		Hardening: []string{"put the hook into /etc/github-copilot/policy.d, which cannot be switched off"},
		Detail: []string{
			"an allow is written as no opinion: Copilot would let it override the user's own --deny-tool",
			"preToolUse has no event name and no call id in its payload, so the command line names the event",
			"with several hooks on a call the stricter answer wins, whatever their order",
			"hooks in a trusted folder's .claude/settings.json are run too, in Claude Code's spelling",
		},
	}
}

func (copilot) Read(in Input) (Request, error) {
	p, err := parsePayload(in.Payload)
	if err != nil {
		return Request{Event: in.Event}, err
	}
	req := copilotRequest(p, &in)
	switch req.Event {
	case copilotTool, copilotPermission, preToolUse, permissionRequest:
	default:
		return req, fmt.Errorf("%w: the event %.64q is not about a tool call", ErrPayload, req.Event)
	}
	req.Project, req.Asks = in.env("COPILOT_PROJECT_DIR"), true
	id := p.text("toolUseId", "tool_use_id")
	if err := p.finish(&req, &in); err != nil {
		return req, err
	}
	req.Calls = copilotCalls(&req, in.Servers)
	identify(&req, &in, id)
	return req, nil
}

// copilotRequest reads both spellings. What the payload says of its event counts more
// than the command line.
func copilotRequest(p *payload, in *Input) Request {
	p.ignore("timestamp", "permissionSuggestions", "permission_suggestions", "agentType", "agent_type", "parentAgentId",
		"transcript_path", "transcriptPath")
	req := Request{
		Event: p.text("hookName", "hook_event_name"), Tool: p.text("toolName", "tool_name"),
		Input:   p.object("toolArgs", "toolInput", "tool_input"),
		Session: p.text("sessionId", "session_id"), Agent: p.text("agentId", "agent_id"), Cwd: p.text("cwd"),
		Mode: p.text("permissionMode", "permission_mode"),
	}
	switch {
	case req.Event != "":
	case in.Event != "":
		req.Event = in.Event
	case p.members["toolInput"] != nil:
		req.Event = copilotPermission
	default:
		req.Event = copilotTool
	}
	return req
}

func copilotCalls(req *Request, servers []string) []plangate.Call {
	if req.Event == preToolUse || req.Event == permissionRequest {
		if tool := copilotFromClaude(req.Tool); tool != "" {
			if tool == "edit" { // edit, str_replace_editor or apply_patch
				return several("copilot", req.Input, "edit_file", "write_file")
			}
			return []plangate.Call{own("copilot", tool, req.Input)}
		}
	}
	switch {
	case req.Tool == "apply_patch":
		return patched("copilot", req.Input, patchText(req.Input, "patch", "input", "patchText", "command"), "apply_patch")
	case req.Tool == "edit" && req.Event == copilotPermission: // a create too
		return several("copilot", req.Input, "edit_file", "write_file")
	}
	operation := operationOfCopilot(req.Tool)
	mcp := doubled(req.Tool, servers, req.Input)
	if server, tool, ok := strings.Cut(req.Tool, "/"); ok && server != "" && tool != "" {
		mcp = []plangate.Call{stranger(server, tool, req.Input)}
	}
	if mcp == nil {
		mcp = mcpCalls(req.Tool, "-", servers, req.Input)
	}
	return resolve("copilot", operation, mcp, req)
}

// copilotFromClaude returns the operation behind the name that Copilot gives its own
// tools under Claude Code's spelling of events, or "".
func copilotFromClaude(tool string) string {
	switch tool {
	case "Bash":
		return "bash"
	case "Read":
		return "read_file"
	case "Write":
		return "write_file"
	case "Edit":
		return "edit"
	case "Grep":
		return "grep"
	case "Glob":
		return "glob"
	case "WebFetch":
		return "web_fetch"
	case "AskUserQuestion":
		return "ask_user"
	case "TodoWrite":
		return "task_update"
	case "Agent":
		return "spawn_agent"
	}
	return ""
}

func (copilot) Answer(req Request, a Answer) Output {
	if a.Verdict == Allow && a.Input == nil {
		a.Verdict = NoOpinion
	}
	switch req.Event {
	case preToolUse:
		return claudePreToolUse(&a)
	case copilotPermission, permissionRequest:
		type answer struct {
			Behavior string `json:"behavior"`
			Message  string `json:"message,omitempty"`
		}
		if a.Verdict == NoOpinion || a.Verdict == Ask { // the CLI is about to ask
			return silence()
		}
		return object(answer{Behavior: "deny", Message: a.reason()})
	case copilotTool, "":
		type answer struct {
			Decision string          `json:"permissionDecision,omitempty"`
			Reason   string          `json:"permissionDecisionReason,omitempty"`
			Input    json.RawMessage `json:"modifiedArgs,omitempty"`
		}
		switch a.Verdict {
		case NoOpinion:
			return silence()
		case Allow:
			return object(answer{Input: a.Input})
		default:
			return object(answer{Decision: a.Verdict.String(), Reason: a.reason()})
		}
	default:
		return stop(a.reason())
	}
}

func (c copilot) Refuse(event, reason string) Output {
	return c.Answer(Request{Event: event}, Answer{Reason: reason})
}
