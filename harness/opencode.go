package harness

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plangate/plangate"
)

// opencode is OpenCode. It has no hook commands: a plugin of ours asks, and throws to
// deny.
type opencode struct{}

const toolExecuteBefore = "tool.execute.before"

//go:embed opencode_plugin.js
var opencodePlugin string

// OpencodePlugin returns the text of the plugin that runs a command, such as
// `policyctl hook opencode`, for each call, and waits so long for its answer. It is
// JavaScript without dependencies, and throws, which denies the call, if the program is
// missing, crashes, is slow or answers anything but what [Harness.Answer] writes.
func OpencodePlugin(command []string, limit time.Duration) string {
	words, _ := json.Marshal(command) // cannot fail: strings; it escapes what ends a line of JavaScript
	return strings.NewReplacer(
		`["policyctl", "hook", "opencode"]`, string(words), "9000", strconv.FormatInt(limit.Milliseconds(), 10),
	).Replace(opencodePlugin)
}

func (opencode) Info() *Info {
	return &Info{
		Name: "opencode", Title: "OpenCode", Tested: "1.18.33", Program: "opencode", Version: []string{"--version"},
		Files: []ConfigFile{
			{Scope: ScopeUser, Path: "~/.config/opencode/plugin/plangate.js", Env: "OPENCODE_CONFIG_DIR", Format: "js"},
			{Scope: ScopeProject, Path: ".opencode/plugin/plangate.js", Format: "js", Note: "loaded without any question of trust"},
			{Scope: ScopeManaged, Path: "/etc/opencode/opencode.json", Format: "json", Key: "permission", Note: "rules only; wins over the project's"},
		},
		Events: []Event{
			{Name: toolExecuteBefore, Command: hookCommand("opencode"), Needed: true, Why: "sees every call, also of MCP tools and sub-agents"},
		},
		OnFailure: []FailureEffect{
			{FailMissing, Blocks}, {FailCrash, Blocks}, {FailExit1, Blocks}, {FailExit2, Blocks}, {FailTimeout, Blocks},
			{FailBadJSON, Blocks}, {FailBadWord, Blocks}, {FailTwoTexts, Blocks}, {FailNoReason, Blocks}, {FailExtraKey, Blocks},
		},
		CanModify: true, AskHeadless: "does not exist in a plugin: an ask is written as a deny",
		Unseen: []string{
			"`!` lines of a custom command", "anything if the plugin does not load, without a word", "runs with --pure",
		},
		RepoOff: []RepoSwitch{
			{File: "opencode.json", Setting: `"permission": {…}`, Requires: "undoes rules of the user, not the plugin"},
		},
		Hardening: []string{"add deny rules to /etc/opencode/opencode.json as a second line"},
		Detail: []string{
			"plugins run one after the other and share the arguments: one that is loaded after ours may change them",
			"the plugin's own limit of time is 9 s; the CLI has none",
			"the failures above are those of the program behind the plugin, which the plugin turns into a deny",
			"an allow is no allow for the rules of the CLI: they still apply",
		},
	}
}

func (opencode) Read(in Input) (Request, error) {
	p, err := parsePayload(in.Payload)
	if err != nil {
		return Request{Event: in.Event}, err
	}
	inner := p.part("input")
	req := Request{
		Event: p.text("hook_event_name"), Tool: p.text("tool_name"), Input: p.object("tool_input"),
		Session: inner.text("sessionID"), Cwd: p.text("directory"),
	}
	req.Project = req.Cwd
	id := inner.text("callID")
	if tool := inner.text("tool"); req.Tool == "" {
		req.Tool = tool
	}
	if req.Event == "" {
		req.Event = toolExecuteBefore
	}
	p.ignore("output", "worktree", "version")
	servers := in.Servers
	var named []string
	if raw := p.get("mcp_servers"); raw != nil && json.Unmarshal(raw, &named) == nil {
		servers = append(servers[:len(servers):len(servers)], named...)
	}
	switch {
	case req.Event != toolExecuteBefore:
		return req, fmt.Errorf("%w: the event %.64q is not about a tool call", ErrPayload, req.Event)
	case inner.err != nil:
		return req, inner.err
	}
	if err := p.finish(&req, &in); err != nil {
		return req, err
	}
	req.Calls = opencodeCalls(&req, servers)
	identify(&req, &in, id)
	return req, nil
}

func opencodeCalls(req *Request, servers []string) []plangate.Call {
	if req.Tool == "apply_patch" || req.Tool == "patch" {
		return patched("opencode", req.Input, patchText(req.Input, "patchText", "patch"), "apply_patch")
	}
	operation := operationOfOpencode(req.Tool)
	return resolve("opencode", operation, mcpCalls(req.Tool, "_", servers, req.Input), req)
}

func (opencode) Answer(_ Request, a Answer) Output {
	type answer struct {
		Decision string          `json:"decision"`
		Reason   string          `json:"reason,omitempty"`
		Input    json.RawMessage `json:"input,omitempty"`
	}
	switch a.Verdict {
	case NoOpinion:
		return object(answer{Decision: "none"})
	case Allow:
		return object(answer{Decision: "allow", Input: a.Input})
	default:
		return object(answer{Decision: "deny", Reason: a.reason()})
	}
}

func (o opencode) Refuse(event, reason string) Output {
	return o.Answer(Request{Event: event}, Answer{Reason: reason})
}
