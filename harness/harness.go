package harness

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/plangate/plangate"
)

// Harness is the adapter of one agent CLI.
type Harness interface {
	// Info describes the CLI.
	Info() *Info
	// Read reads what the CLI tells its hook. On error the request still carries the
	// event, so that [Harness.Refuse] can answer it.
	Read(Input) (Request, error)
	// Answer writes an answer to a request that was read. What the CLI cannot express is
	// written as the next stricter thing that it can.
	Answer(Request, Answer) Output
	// Refuse denies whatever an event was about, for a payload that cannot be read and
	// for every failure of the hook itself. It needs nothing but the event's name, "" for
	// the CLI's first one.
	Refuse(event, reason string) Output
}

// Input is what a hook process was given.
type Input struct {
	Payload []byte
	// Event is the event's name where the command line of the hook says it; "" lets
	// the payload say it. Without either it is the first of [Info.Events].
	Event string
	// Getenv reads the environment that the CLI set; nil means an empty one.
	Getenv func(string) string
	// Dir is the working directory of the hook process, absolute, for CLIs that do
	// not name the call's own; "" leaves it unknown.
	Dir string
	// Servers are the names of MCP servers, where they are known. They help with CLIs that
	// join server and tool with a letter that either may contain.
	Servers []string
	// Attended says that a human sits at the CLI, for one that waits for ever after an ask
	// where nobody does.
	Attended bool
	// Now becomes the time of the calls.
	Now time.Time
}

func (in *Input) env(name string) string {
	if in.Getenv == nil {
		return ""
	}
	return in.Getenv(name)
}

// Request is a tool call as a CLI told it. It is a plain value.
type Request struct {
	Event string // as the CLI names it
	Tool  string // the CLI's own name of the tool
	// Calls are what the call does, at least one; the strictest decision counts. All
	// have the ID of the call. Profile, Workspace, Home and Caller are the caller's.
	Calls   []plangate.Call
	Input   json.RawMessage // the arguments as the CLI gave them
	Session string          // id of the CLI's session, "" if it gives none
	Agent   string          // id of the sub-agent that calls, "" for the main agent or if the CLI does not say
	Mode    string          // the CLI's permission mode, "" if it does not say
	Cwd     string          // absolute, or "" if it is not known
	// Project is the directory that the CLI was started for, absolute, or "" if it does not
	// say. Unlike Cwd the model does not choose it.
	Project string
	// Asks is true if the CLI puts an ask to its human; else it is written as a deny.
	Asks bool
	// MCP is true for a tool of an MCP server. Its kind and risk are then not known, and
	// given as resource and high.
	MCP bool
	// GivenID is true if the CLI named the call; else its ID is a digest.
	GivenID bool
	// Extra holds the fields of the payload that this version does not know.
	Extra map[string]json.RawMessage
	// Warnings say what is odd, each once: an unknown field's name, another
	// spelling. They are for people and change nothing.
	Warnings []string
}

// Verdict is what the hook says. The zero value denies.
type Verdict uint8

// The verdicts. NoOpinion lets the CLI go its own way; it is not an allow.
const (
	Deny Verdict = iota
	Ask
	NoOpinion
	Allow
)

// String returns the word used in JSON and in tests.
func (v Verdict) String() string {
	switch v {
	case Deny:
		return "deny"
	case Ask:
		return "ask"
	case NoOpinion:
		return "no_opinion"
	case Allow:
		return "allow"
	}
	return "deny"
}

// Answer is what to tell a CLI.
type Answer struct {
	Verdict Verdict
	// Reason is for the model, Notice for the human; an empty Notice is the Reason. An
	// answer that denies or asks without a reason gets a fixed one.
	Reason, Notice string
	// Input replaces all arguments of the call; only with Allow, and only where
	// [Info.CanModify]. An allow with an Input that the CLI cannot take is a deny.
	Input json.RawMessage
}

// Output is what the hook process must write and how it must exit.
type Output struct {
	Stdout []byte
	Stderr []byte
	Code   int
}

// adapters are all there are, sorted by name.
func adapters() []Harness {
	return []Harness{amp{}, claude{}, codex{}, copilot{}, cursor{}, gemini{}, opencode{}}
}

// Names returns the names of all CLIs, sorted.
func Names() []string {
	var names []string
	for _, h := range adapters() {
		names = append(names, h.Info().Name)
	}
	return names
}

// Find returns the adapter of a CLI by its name.
func Find(name string) (Harness, bool) {
	all := adapters()
	i := slices.IndexFunc(all, func(h Harness) bool { return h.Info().Name == name })
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// reasonOf returns a text that is not empty: several CLIs run a call that was
// denied without a reason.
func reasonOf(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return "The policy gate denies this call."
}
