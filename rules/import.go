package rules

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/command"
	"github.com/plangate/plangate/dsl"
)

// Import turns a CLI's rule file into a policy file that is never looser. The error is an
// *[Error]; a result comes with all losses.
func Import(cli CLI, source Source) (Result, error) {
	parsed, err := Parse(cli, source)
	if err != nil {
		return Result{}, err
	}
	d := newDocument(cli, source)
	parsed = slices.DeleteFunc(parsed, func(r Rule) bool {
		if r.Action == None {
			e := d.entryOf(r)
			d.loss(Partial, &e, "it is not read; if it restricts anything, write a guard for it")
		}
		return r.Action == None
	})
	switch cli {
	case Claude:
		d.importClaude(parsed)
	case Codex:
		d.importCodex(parsed)
	default:
		d.importOrdered(parsed)
	}
	d.write()
	formatted, diags := dsl.Format("agent.hcl", d.Text)
	if diags.HasErrors() {
		return Result{}, &Error{File: source.Name, Code: CodeValue, Message: "a rule cannot be written as HCL: " + diags.Error()}
	}
	if _, diags := dsl.Parse("agent.hcl", formatted); diags.HasErrors() {
		return Result{}, &Error{File: source.Name, Code: CodeValue, Message: "a rule cannot be written as a policy: " + diags.Error()}
	}
	d.Text = formatted
	return d.Result, nil
}

// Rule is a rule of a CLI as read. Which fields count depends on the CLI. With the action None it
// is a setting beside the rules that is not read; it matches nothing.
type Rule struct {
	Action  Verdict
	Text    string // as written, for comments and reports
	Line    int
	Tool    string     // name or glob of the tool, or the kind of a Copilot flag
	Server  string     // Gemini's mcpName
	Pattern string     // what the main argument must fit
	Has     bool       // there is a pattern
	Regex   bool       // the pattern is a regular expression over the arguments (Gemini)
	Prefix  bool       // the pattern is a command prefix (Gemini)
	Words   [][]string // alternatives for each word (Codex)
	Rank    float64    // tier and priority (Gemini)
	// Narrowed says that the rule has a condition that is not read here: it may match fewer
	// calls than it seems.
	Narrowed string
}

// Parse reads a CLI's rule file. Claude's rules and Codex's come in the order of the file,
// all others in that of precedence, highest first. Copilot's are flags, one a line.
func Parse(cli CLI, source Source) ([]Rule, error) {
	if len(source.Text) > MaxBytes {
		return nil, &Error{File: source.Name, Code: CodeLimit, Message: fmt.Sprintf("longer than %d bytes", MaxBytes)}
	}
	if !utf8.Valid(source.Text) {
		return nil, &Error{File: source.Name, Code: CodeSyntax, Message: "the file is not UTF-8"}
	}
	var parsed []Rule
	var err error
	switch cli {
	case Claude:
		parsed, err = parseClaude(source)
	case Codex:
		parsed, err = parseCodex(source)
	case Gemini:
		parsed, err = parseGemini(source)
	case OpenCode:
		parsed, err = parseOpenCode(source)
	case Amp:
		parsed, err = parseAmp(source)
	case Copilot:
		parsed, err = parseCopilot(source)
	default:
		err = &Error{File: source.Name, Code: CodeValue, Message: fmt.Sprintf("there is no reader for rules of %q", cli)}
	}
	if err == nil && len(parsed) > MaxRules {
		err = &Error{File: source.Name, Code: CodeLimit, Message: fmt.Sprintf("more than %d rules", MaxRules)}
	}
	if err != nil {
		return nil, err
	}
	return parsed, nil
}

// Match says what a CLI's rules, as [Parse] returned them, do with a call. Paths are compared
// without dots and doubled slashes.
func Match(cli CLI, parsed []Rule, call Call) Verdict {
	if t, ok := findTool(cli, call.Tool); ok && call.Server == "" && (t.subject == reads || t.subject == writes) {
		call.Arg = path.Clean(call.Arg)
	}
	switch cli {
	case Claude:
		return matchClaude(parsed, call)
	case Codex:
		return matchCodex(parsed, call)
	case Gemini:
		return matchGemini(parsed, call)
	case OpenCode:
		return matchOpenCode(parsed, call)
	case Amp:
		return matchAmp(parsed, call)
	case Copilot:
		return matchCopilot(parsed, call)
	}
	return None
}

func (d *document) entryOf(r Rule) entry {
	e := entry{text: r.Text, file: d.source.Name, line: r.Line, action: plangate.Ask}
	switch r.Action {
	case Allow:
		e.action = plangate.Allow
	case Deny:
		e.action = plangate.Deny
	case Ask, None:
	}
	return e
}

// withCommand narrows an entry to a command glob. Without ok an allow cannot be said, and a
// restriction has become one of all commands.
func (d *document) withCommand(e *entry, g commandGlob, extra string) (ok bool) {
	if g.whole {
		return true
	}
	if e.action == plangate.Allow {
		if g.allow == "" || !compiles(g.allow) {
			return false
		}
		e.commands, e.when = []string{g.allow}, plainText
		if extra != "" {
			e.when = extra + " && " + e.when
		}
		return true
	}
	switch {
	case g.deny != "" && compiles(g.deny):
		e.commands = []string{g.deny}
		return true
	case g.regex != "" && g.regex != "(?s)" && len(g.regex) < 500:
		if _, err := regexp.Compile(g.regex); err == nil {
			e.when = "regex(coalesce(input.command, input.cmd), " + quote(g.regex) + ")"
			return true
		}
	}
	return false
}

func compiles(pattern string) bool {
	_, err := command.Compile(pattern)
	return err == nil
}

// sanitized returns a glob for the servers whose names a CLI writes like this one: CLIs write
// _ for what tool names cannot hold.
func sanitized(server string) string { return strings.ReplaceAll(server, "_", "*") }

// exactName reports whether a match can hold the name as it is.
func exactName(name string) bool {
	return name != "" && !strings.Contains(name, "*") && !strings.Contains(name, "mcp__") && utf8.ValidString(name)
}

// inMatch reports whether a match can hold a name or glob.
func inMatch(name string) bool {
	before, _, glob := strings.Cut(name, "*")
	return name != "" && !strings.Contains(name, "mcp__") && (!glob || before != "mcp" && before != "mcp_")
}
