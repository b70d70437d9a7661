package harness

import (
	"fmt"
	"time"
)

// claude is Claude Code. Its answer is nested, and dropped without the event's name.
type claude struct{}

// The events of Claude Code, which other CLIs share.
const (
	preToolUse        = "PreToolUse"
	permissionRequest = "PermissionRequest"
	preSkillShell     = "PreSkillShellCommand"
)

func (claude) Info() *Info {
	return &Info{
		Name: "claude", Title: "Claude Code", Tested: "2.1.332", Program: "claude", Version: []string{"--version"},
		Files: []ConfigFile{
			{Scope: ScopeUser, Path: "~/.claude/settings.json", Env: "CLAUDE_CONFIG_DIR", Format: "json", Key: "hooks"},
			{Scope: ScopeProject, Path: ".claude/settings.json", Format: "json", Key: "hooks"},
			{Scope: ScopeLocal, Path: ".claude/settings.local.json", Format: "json", Key: "hooks"},
			{Scope: ScopeManaged, Path: "/etc/claude-code/managed-settings.json", Format: "json", Key: "hooks"},
		},
		Events: []Event{
			{Name: preToolUse, Command: hookCommand("claude"), Needed: true, Why: "sees every call of a tool, also of sub-agents"},
			{Name: preSkillShell, Command: hookCommand("claude"), Needed: true,
				Why: "sees shell commands in skills and slash commands, which PreToolUse does not; versions before 2.1.332 do not know it"},
			{Name: permissionRequest, Command: hookCommand("claude"),
				Why: "answers a prompt that Claude Code's own rules cause"},
		},
		TimeoutKey: "timeout", TimeoutUnit: time.Second, DefaultTimeout: 600 * time.Second,
		FailClosed: "onFailure", FailClosedValue: `"block"`,
		OnFailure: []FailureEffect{
			{FailMissing, Runs}, {FailCrash, Runs}, {FailExit1, Runs}, {FailExit2, Blocks}, {FailTimeout, Runs},
			{FailBadJSON, Runs}, {FailBadWord, Runs}, {FailTwoTexts, Runs}, {FailNoReason, Blocks}, {FailExtraKey, Blocks},
		},
		CanAsk: true, CanAllow: true, CanModify: true, AskHeadless: "is a deny, in every permission mode",
		Unseen: []string{
			"`@file` in a prompt", "`!` lines of slash commands and skills before 2.1.332 (after it: without PreSkillShellCommand)",
			"unknown tools and arguments that fail the schema (they are refused)", "runs with --bare, also for managed hooks",
			"tools that run at the model's provider",
		},
		RepoOff: []RepoSwitch{
			{File: ".claude/settings.json", Setting: `"disableAllHooks": true`},
			{File: ".claude/settings.local.json", Setting: `"disableAllHooks": true`},
		},
		Hardening: []string{
			"put the hook into the managed settings, which no repository switches off",
			`set "allowManagedHooksOnly": true there`, `set "onFailure": "block" in the entry (from 2.1.332)`,
		},
		Detail: []string{
			"ask and deny rules of Claude Code and its protected paths hold against an allow",
			"a matcher of letters only must be the whole name; leave it out to see every tool",
			"with several hooks on a call the strictest answer counts: deny, ask, allow; what another hook makes of the arguments is checked by the CLI's rules and not by ours",
		},
	}
}

func (c claude) Read(in Input) (Request, error) {
	p, err := parsePayload(in.Payload)
	if err != nil {
		return Request{Event: in.Event}, err
	}
	req := claudeRequest(p, &in)
	switch req.Event {
	case preToolUse, permissionRequest, preSkillShell:
	default:
		return req, fmt.Errorf("%w: the event %.64q is not about a tool call", ErrPayload, req.Event)
	}
	// In this mode 2.1.332 runs a write to its own settings although the hook says ask.
	bypass := req.Mode == "bypassPermissions"
	req.Project, req.Asks = in.env("CLAUDE_PROJECT_DIR"), req.Event != preSkillShell && !bypass
	p.ignore("permission_suggestions", "command_name", "command_source", "invoked_by")
	id := p.text("tool_use_id")
	server := p.part("mcp_server")
	if err := p.finish(&req, &in); err != nil {
		return req, err
	}
	servers := in.Servers
	if name := server.text("name"); name != "" {
		servers = []string{name}
	}
	if req.Tool == "Monitor" {
		req.Calls = several("claude", req.Input, "Monitor", "bash")
	} else {
		operation := operationOfClaude(req.Tool)
		req.Calls = resolve("claude", operation, doubled(req.Tool, servers, req.Input), &req)
	}
	identify(&req, &in, id)
	return req, nil
}

// claudeRequest reads what Claude Code and those who copy it say of every event.
func claudeRequest(p *payload, in *Input) Request {
	p.ignore("transcript_path", "prompt_id", "effort", "agent_type")
	req := Request{
		Event: p.text("hook_event_name"), Tool: p.text("tool_name"), Input: p.object("tool_input"),
		Session: p.text("session_id"), Agent: p.text("agent_id"), Mode: p.text("permission_mode"), Cwd: p.text("cwd"),
	}
	if req.Event == "" {
		req.Event = in.Event
	}
	if req.Event == "" {
		req.Event = preToolUse
	}
	return req
}

func (claude) Answer(req Request, a Answer) Output {
	switch req.Event {
	case preToolUse, "":
		return claudePreToolUse(&a)
	case permissionRequest:
		return claudePermission(&a)
	case preSkillShell:
		// An allow adds nothing there, an ask stops the command like a deny, and so does
		// any other input.
		if a.Verdict == NoOpinion || a.Verdict == Allow && a.Input == nil {
			return silence()
		}
		return object(nested{Specific: specific{Event: preSkillShell, Decision: Deny.String(), Reason: a.reason()}})
	default:
		return stop(a.reason())
	}
}

// claudePreToolUse also serves a CLI that takes Claude Code's own configuration.
func claudePreToolUse(a *Answer) Output {
	out := specific{Event: preToolUse, Decision: a.Verdict.String(), Reason: a.reason()}
	switch a.Verdict {
	case NoOpinion:
		return silence()
	case Allow:
		out.Input = a.Input
		if a.Reason == "" {
			out.Reason = ""
		}
		return object(nested{Specific: out})
	default:
		return object(nested{Specific: out, System: a.apart()})
	}
}

// claudePermission answers instead of the prompt; an ask leaves the prompt to the CLI.
func claudePermission(a *Answer) Output {
	switch a.Verdict {
	case NoOpinion, Ask:
		return silence()
	case Allow:
		return object(nested{Specific: specific{Event: permissionRequest, Behavior: &behavior{Behavior: "allow", Input: a.Input}}})
	default:
		return object(nested{Specific: specific{Event: permissionRequest, Behavior: &behavior{Behavior: "deny", Message: a.reason()}}})
	}
}

func (c claude) Refuse(event, reason string) Output {
	return c.Answer(Request{Event: event}, Answer{Reason: reason})
}

// hookCommand is what an entry runs.
func hookCommand(name string, more ...string) []string {
	return append([]string{"policyctl", "hook", name}, more...)
}
