package harness

import (
	"fmt"
	"time"
)

// codex is the OpenAI Codex CLI. It drops an answer with any key or word that it does
// not expect, and runs the call.
type codex struct{}

func (codex) Info() *Info {
	return &Info{
		Name: "codex", Title: "OpenAI Codex CLI", Tested: "0.171.0", Program: "codex", Version: []string{"--version"},
		Files: []ConfigFile{
			{Scope: ScopeUser, Path: "~/.codex/hooks.json", Env: "CODEX_HOME", Format: "json", Key: "hooks",
				Note: "holds nothing but `description` and `hooks`"},
			{Scope: ScopeUser, Path: "~/.codex/config.toml", Env: "CODEX_HOME", Format: "toml", Key: "hooks"},
			{Scope: ScopeProject, Path: ".codex/hooks.json", Format: "json", Key: "hooks", Note: "read in a trusted project only"},
			{Scope: ScopeManaged, Path: "/etc/codex/requirements.toml", Format: "toml", Key: "hooks", Note: "needs no trust"},
		},
		Events: []Event{
			{Name: preToolUse, Command: hookCommand("codex"), Needed: true, Why: "sees shell, patch, MCP and function calls"},
			{Name: permissionRequest, Command: hookCommand("codex"),
				Why: "lets what the policy allows pass Codex's own question, also for MCP tools in exec"},
		},
		TimeoutKey: "timeout", TimeoutUnit: time.Second, DefaultTimeout: 600 * time.Second,
		Shell: true,
		OnFailure: []FailureEffect{
			{FailMissing, Runs}, {FailCrash, Runs}, {FailExit1, Runs}, {FailExit2, Blocks}, {FailTimeout, Runs},
			{FailBadJSON, Runs}, {FailBadWord, Runs}, {FailTwoTexts, Runs}, {FailNoReason, Runs}, {FailExtraKey, Runs},
		},
		CanModify: true, AskHeadless: "does not exist: an ask is written as a deny",
		Trust: "A hook that is not trusted is skipped without a word. Trust is a `trusted_hash` in config.toml under " +
			"[hooks.state.\"FILE:pre_tool_use:0:0\"]; `codex app-server`, hooks/list gives key and hash. Any change of the " +
			"definition ends it. Never bypass hook trust: that trusts what every repository ships.",
		Unseen: []string{
			"input to a command that already runs (write_stdin): a shell opened once takes more commands unseen",
			"web search at the provider", "the script of code mode as such (its calls are seen)",
			"untrusted or changed hooks, in exec without a message",
		},
		RepoOff: []RepoSwitch{
			{File: ".codex/config.toml", Setting: "[features]\nhooks = false", Requires: "the project is trusted; managed hooks too"},
		},
		Hardening: []string{"set [features] hooks = true in /etc/codex/requirements.toml, which pins it"},
		Detail: []string{
			"workdir, tty and escalation of a shell call are not in the payload", "an allow of PreToolUse does not exist",
			"with several hooks on a call one deny blocks it, also where another hook fails",
		},
	}
}

func (codex) Read(in Input) (Request, error) {
	p, err := parsePayload(in.Payload)
	if err != nil {
		return Request{Event: in.Event}, err
	}
	req := claudeRequest(p, &in)
	if req.Event != preToolUse && req.Event != permissionRequest {
		return req, fmt.Errorf("%w: the event %.64q is not about a tool call", ErrPayload, req.Event)
	}
	req.Asks = req.Event == permissionRequest
	p.ignore("turn_id", "model")
	id := p.text("tool_use_id")
	if err := p.finish(&req, &in); err != nil {
		return req, err
	}
	if req.Tool == "apply_patch" {
		req.Calls = patched("codex", req.Input, patchText(req.Input, "command", "patch", "input"))
	} else {
		operation := operationOfCodex(req.Tool)
		req.Calls = resolve("codex", operation, doubled(req.Tool, in.Servers, req.Input), &req)
	}
	identify(&req, &in, id)
	return req, nil
}

func (codex) Answer(req Request, a Answer) Output {
	switch req.Event {
	case preToolUse, "":
		switch {
		case a.Verdict == NoOpinion, a.Verdict == Allow && a.Input == nil:
			return silence() // an allow as such is an error there
		case a.Verdict == Allow:
			return object(nested{Specific: specific{Event: preToolUse, Decision: "allow", Input: a.Input}})
		default:
			return object(nested{Specific: specific{Event: preToolUse, Decision: "deny", Reason: a.reason()}})
		}
	case permissionRequest:
		if a.Input != nil { // it would count as no answer
			a.Verdict = Deny
		}
		return claudePermission(&a)
	default:
		return stop(a.reason())
	}
}

func (c codex) Refuse(event, reason string) Output {
	return c.Answer(Request{Event: event}, Answer{Reason: reason})
}
