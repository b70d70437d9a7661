package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plangate/plangate"
)

// Limits of a rule file.
const (
	MaxBytes = plangate.MaxJSONBytes
	MaxRules = 5000
)

// CLI names an agent CLI. It is the provider of the CLI's own tools.
type CLI string

// The CLIs.
const (
	Claude   CLI = "claude"
	Codex    CLI = "codex"
	Gemini   CLI = "gemini"
	OpenCode CLI = "opencode"
	Amp      CLI = "amp"
	Copilot  CLI = "copilot" // export only: its rules are flags of the command line
)

// ExportNames returns the CLIs that [Export] knows.
func ExportNames() []string {
	return []string{string(OpenCode), string(Amp), string(Claude), string(Codex), string(Gemini), string(Copilot)}
}

// ImportNames returns the CLIs that [Import] knows.
func ImportNames() []string {
	return []string{string(Claude), string(Codex), string(Gemini), string(OpenCode), string(Amp)}
}

// Verdict is what a CLI's rules say of a call. None, the zero value, means that no
// rule matches and the CLI's mode decides.
type Verdict uint8

// The verdicts.
const (
	None Verdict = iota
	Deny
	Ask
	Allow
)

// String returns none, deny, ask or allow.
func (v Verdict) String() string {
	return [...]string{"none", "deny", "ask", "allow"}[v&3]
}

func verdictOf(action plangate.Action) Verdict {
	switch action {
	case plangate.Allow:
		return Allow
	case plangate.Deny:
		return Deny
	default:
		return Ask
	}
}

// stricter returns the stricter of two verdicts; None is no opinion.
func stricter(a, b Verdict) Verdict {
	if a == None || b != None && b < a {
		return b
	}
	return a
}

// Call is a tool call as a CLI's rules see it.
type Call struct {
	Server string // the MCP server, "" for the CLI's own tools
	Tool   string // the CLI's own name, or the name that the server gives
	// Arg is the argument that patterns look at: a command, an absolute path, a URL or the name
	// of a sub-agent.
	Arg string
	// Workspace and Home are absolute directories.
	Workspace, Home string
}

// Effect says what is lost in translation.
type Effect string

// The effects. Only Partial is about something that the policy stops.
const (
	// Dropped is an allow that was left out.
	Dropped Effect = "dropped"
	// Stricter is a rule that stops more than before.
	Stricter Effect = "stricter"
	// Partial is a restriction that the result does not have, or not wholly: a call that
	// gets past it is asked about, or left to the CLI's mode.
	Partial Effect = "partial"
)

// Loss is a difference between a rule and its translation.
type Loss struct {
	Effect Effect   `json:"effect"`
	Rule   string   `json:"rule"` // as written, or as policy:NAME
	File   string   `json:"file"` // "" for what is built in
	Line   int      `json:"line"`
	Tools  []string `json:"tools"` // concerned, by the names of the output's side; empty: any
	Reason string   `json:"reason"`
}

// String returns the loss in a line.
func (l *Loss) String() string {
	place := l.File
	if place != "" && l.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, l.Line)
	}
	if place != "" {
		place += ": "
	}
	tools := ""
	if len(l.Tools) > 0 {
		tools = " [" + strings.Join(l.Tools, ", ") + "]"
	}
	return fmt.Sprintf("%s%s: %s%s: %s", place, l.Effect, l.Rule, tools, l.Reason)
}

// Result is a translation.
type Result struct {
	Text   []byte
	Losses []Loss // in the order of the rules
}

// lose adds a loss, to one of the same rule and reason if there is one.
func (r *Result) lose(l Loss) {
	if l.Tools == nil {
		l.Tools = []string{}
	}
	for i := range r.Losses {
		o := &r.Losses[i]
		if o.Effect != l.Effect || o.Rule != l.Rule || o.Line != l.Line || o.File != l.File || o.Reason != l.Reason {
			continue
		}
		for _, name := range l.Tools {
			if !slices.Contains(o.Tools, name) {
				o.Tools = append(o.Tools, name)
			}
		}
		return
	}
	r.Losses = append(r.Losses, l)
}

// Source is a rule file.
type Source struct {
	Name string // for messages and comments
	Text []byte
	// Base is where Claude's patterns with a leading slash start: "" for the workspace (a
	// project's settings), "~/.claude" for the user's.
	Base string
}

// Error is why a rule file cannot be read.
type Error struct {
	File    string
	Line    int // from 1; 0 if the error is about the file
	Code    string
	Message string
}

// Error returns file, line, message and code.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s [%s]", e.File, e.Message, e.Code)
	}
	return fmt.Sprintf("%s:%d: %s [%s]", e.File, e.Line, e.Message, e.Code)
}

// The codes of an Error.
const (
	CodeSyntax = "rules_syntax" // no text of the CLI's format
	CodeValue  = "rules_value"  // an action, type or field that the CLI does not have
	CodeLimit  = "rules_limit"  // too large
)
