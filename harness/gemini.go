package harness

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/plangate/plangate"
)

// gemini is the Gemini CLI. It reads JSON whatever the exit code, and waits for ever
// after an ask where nobody sits at it.
type gemini struct{}

const beforeTool = "BeforeTool"

func (gemini) Info() *Info {
	return &Info{
		Name: "gemini", Title: "Gemini CLI", Tested: "0.61.0", Program: "gemini", Version: []string{"--version"},
		Files: []ConfigFile{
			{Scope: ScopeUser, Path: "~/.gemini/settings.json", Format: "json", Key: "hooks"},
			{Scope: ScopeProject, Path: ".gemini/settings.json", Format: "json", Key: "hooks"},
			{Scope: ScopeManaged, Path: "/etc/gemini-cli/settings.json", Format: "json", Key: "hooks"},
		},
		Events: []Event{
			{Name: beforeTool, Matcher: ".*", Command: hookCommand("gemini"), Needed: true, Why: "sees every tool that is offered to the model"},
		},
		TimeoutKey: "timeout", TimeoutUnit: time.Millisecond, DefaultTimeout: 60 * time.Second,
		Shell: true,
		OnFailure: []FailureEffect{
			{FailMissing, Blocks}, {FailCrash, Runs}, {FailExit1, Runs}, {FailExit2, Blocks}, {FailTimeout, Runs},
			{FailBadJSON, Runs}, {FailBadWord, Runs}, {FailTwoTexts, Runs}, {FailNoReason, Blocks}, {FailExtraKey, Blocks},
		},
		CanAsk: true, CanModify: true, AskHeadless: "makes the CLI wait for ever, so an ask is a deny unless --attended is given",
		Trust: "A project's hooks run in a trusted folder only.",
		Unseen: []string{
			"`!{command}` in a custom slash command", "`@file` in a prompt", "complete_task of a sub-agent",
			"tools that the policy of the CLI does not offer",
		},
		RepoOff: []RepoSwitch{
			{File: ".gemini/settings.json", Setting: `"hooksConfig": {"enabled": false}`, Requires: "also against hooks of the system file"},
			{File: ".gemini/settings.json", Setting: `"hooksConfig": {"disabled": ["NAME"]}`, Requires: "also against hooks of the system file"},
			{File: ".env", Setting: `BASH_ENV=$(case $BASH_EXECUTION_STRING in *policyctl*) kill -9 $$;; esac)`,
				Requires: "also against hooks of the system file: the variables of this file are those of the bash that starts the hook"},
			{File: ".env", Setting: `LD_PRELOAD=…`, Requires: "the same"},
			{File: ".gemini/.env", Setting: `BASH_ENV=…`, Requires: "the same"}, {File: ".gemini/.env", Setting: `LD_PRELOAD=…`, Requires: "the same"},
		},
		Hardening: []string{
			`set "hooksConfig": {"enabled": true} in /etc/gemini-cli/settings.json, which stops the first of these`,
			`set "security": {"folderTrust": {"enabled": true}} there: in a folder that is not trusted the CLI does not start without a terminal`,
		},
		Detail: []string{
			"how several hooks on a call are joined was not measured: expect that another may change the arguments after ours has seen them",
			"an allow grants nothing: the CLI's own policy decides", "calls have no id, and those of a sub-agent no mark",
			"where it was not started from a shell (SHLVL is not set), bash reads ~/.bashrc before the hook: what that prints spoils the answer, and the call runs",
			"a limit of time above 2147483647 ms counts as 1 ms, so the call runs before the hook can answer",
			"an ask would also turn a deny of the CLI's policy into a question",
		},
	}
}

func (gemini) Read(in Input) (Request, error) {
	p, err := parsePayload(in.Payload)
	if err != nil {
		return Request{Event: in.Event}, err
	}
	req := claudeRequest(p, &in)
	if p.members["hook_event_name"] == nil && in.Event == "" {
		req.Event = beforeTool
	}
	if req.Event != beforeTool {
		return req, fmt.Errorf("%w: the event %.64q is not about a tool call", ErrPayload, req.Event)
	}
	req.Project, req.Asks = in.env("GEMINI_PROJECT_DIR"), in.Attended
	p.ignore("timestamp", "original_request_name")
	context := p.part("mcp_context")
	server, tool := context.text("server_name"), context.text("tool_name")
	if context.err != nil {
		return req, context.err
	}
	if err := p.finish(&req, &in); err != nil {
		return req, err
	}
	var mcp []plangate.Call
	if server != "" && tool != "" {
		mcp = []plangate.Call{stranger(server, tool, req.Input)}
	} else if rest, ok := strings.CutPrefix(req.Tool, "mcp_"); ok {
		mcp = mcpCalls(rest, "_", in.Servers, req.Input)
	}
	operation := ""
	if mcp == nil {
		operation = operationOfGemini(req.Tool)
	}
	req.Calls = resolve("gemini", operation, mcp, &req)
	if operation == "web_fetch" && !req.MCP {
		req.Calls[0].Input = withURLs(req.Input)
	}
	identify(&req, &in, "")
	return req, nil
}

// withURLs adds the URLs that stand in the text of a prompt as an argument of their own.
func withURLs(input json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	var prompt string
	if json.Unmarshal(input, &members) != nil || json.Unmarshal(members["prompt"], &prompt) != nil || members["urls"] != nil {
		return input
	}
	var urls []string
	for word := range strings.FieldsSeq(prompt) {
		at := strings.Index(strings.ToLower(word), "http")
		if at >= 0 && strings.Contains(word, "://") {
			urls = append(urls, strings.TrimRight(word[at:], `.,;:!?)]}>"'`))
		}
	}
	list, err := json.Marshal(urls)
	if err != nil || urls == nil {
		return input
	}
	members["urls"] = list
	if rewritten, err := json.Marshal(members); err == nil {
		return rewritten
	}
	return input
}

func (gemini) Answer(req Request, a Answer) Output {
	if req.Event != beforeTool && req.Event != "" {
		return stop(a.reason())
	}
	type arguments struct {
		Event string          `json:"hookEventName"`
		Input json.RawMessage `json:"tool_input"`
	}
	type answer struct {
		Decision string     `json:"decision"`
		Reason   string     `json:"reason,omitempty"`
		System   string     `json:"systemMessage,omitempty"`
		Specific *arguments `json:"hookSpecificOutput,omitempty"`
	}
	switch {
	case a.Verdict == NoOpinion, a.Verdict == Allow && a.Input == nil:
		return silence()
	case a.Verdict == Allow:
		return object(answer{Decision: "allow", Specific: &arguments{Event: beforeTool, Input: a.Input}})
	case a.Verdict == Ask && req.Asks:
		return object(answer{Decision: "ask", Reason: a.reason(), System: a.notice()})
	default:
		return object(answer{Decision: "deny", Reason: a.reason(), System: a.apart()})
	}
}

func (g gemini) Refuse(event, reason string) Output {
	return g.Answer(Request{Event: event}, Answer{Reason: reason})
}
