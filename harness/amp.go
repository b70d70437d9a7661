package harness

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/plangate/plangate"
)

// amp is Amp. Its delegate gets the bare arguments and answers by exit code.
type amp struct{}

const ampDelegate = "delegate"

func (amp) Info() *Info {
	return &Info{
		Name: "amp", Title: "Amp", Tested: "0.0.1790142911", Program: "amp", Version: []string{"--version"},
		Files: []ConfigFile{
			{Scope: ScopeUser, Path: "~/.config/amp/settings.json", Format: "json", Key: `amp\.permissions`,
				Note: "first match wins, so the rule comes first, with tool \"*\" and action \"delegate\""},
			{Scope: ScopeProject, Path: ".amp/settings.json", Format: "json", Key: `amp\.permissions`},
		},
		Events: []Event{
			{Name: ampDelegate, Matcher: "*", Command: []string{"policyctl-amp"}, Needed: true,
				Why: "`to` is one executable without arguments, so a program of that name has to run `policyctl hook amp`"},
		},
		OnFailure: []FailureEffect{
			{FailMissing, Blocks}, {FailCrash, Blocks}, {FailExit1, Asks}, {FailExit2, Blocks}, {FailTimeout, Hangs},
			{FailBadJSON, Unknown}, {FailBadWord, Unknown}, {FailTwoTexts, Unknown}, {FailNoReason, Unknown}, {FailExtraKey, Unknown},
		},
		CanAsk: true, CanAllow: true, AskHeadless: "asks in the main thread, rejects in a sub-agent",
		Unseen: []string{"calls that a rule before ours allows", "remote threads, which run elsewhere"},
		Detail: []string{
			"the first rule that matches decides, so there is no other delegate beside ours",
			"an allow is a real allow, and the built-in rules come after ours",
			"delegation was seen to hang edit_file once; a settings file that is not JSON stops the CLI",
			"Amp itself was not run, only its own rule checker",
		},
	}
}

func (amp) Read(in Input) (Request, error) {
	_, err := parsePayload(in.Payload)
	req := Request{Event: ampDelegate, Tool: in.env("AGENT_TOOL_NAME"), Session: in.env("AMP_THREAD_ID"), Cwd: in.Dir, Project: in.Dir, Asks: true}
	if err != nil {
		return req, err
	}
	if req.Tool == "" {
		return req, fmt.Errorf("%w: AGENT_TOOL_NAME does not name the tool", ErrPayload)
	}
	req.Input = json.RawMessage(bytes.TrimSpace(bytes.TrimPrefix(in.Payload, []byte("\ufeff"))))
	req.Calls = ampCalls(&req, in.Servers)
	identify(&req, &in, "")
	return req, nil
}

func ampCalls(req *Request, servers []string) []plangate.Call {
	if req.Tool == "apply_patch" {
		return patched("amp", req.Input, patchText(req.Input, "patch", "patchText", "input", "command"), "apply_patch")
	}
	operation := operationOfAmp(req.Tool)
	return resolve("amp", operation, doubled(req.Tool, servers, req.Input), req)
}

// Answer knows no silence: what policy has no opinion of is asked about.
func (amp) Answer(_ Request, a Answer) Output {
	switch {
	case a.Verdict == Allow && a.Input == nil:
		return Output{}
	case a.Verdict == Ask, a.Verdict == NoOpinion:
		return Output{Code: 1}
	default:
		return stop(a.reason())
	}
}

func (a amp) Refuse(_, reason string) Output { return a.Answer(Request{}, Answer{Reason: reason}) }
