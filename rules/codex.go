package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// starFile is the part of Starlark that rule files consist of: calls with named arguments.
type starFile struct {
	Calls []*starCall `parser:"@@*"`
}

type starCall struct {
	Pos  lexer.Position
	Name string     `parser:"@Ident '('"`
	Args []*starArg `parser:"( @@ ( ',' @@ )* ','? )? ')'"`
}

type starArg struct {
	Pos   lexer.Position
	Name  string     `parser:"@Ident '='"`
	Value *starValue `parser:"@@"`
}

type starValue struct {
	Text *string      `parser:"  @String"`
	Word *string      `parser:"| @Ident"`
	List []*starValue `parser:"| '[' ( @@ ( ',' @@ )* ','? )? ']'"`
}

var starFiles = sync.OnceValue(func() *participle.Parser[starFile] {
	tokens := lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Comment", Pattern: `#[^\n]*`},
		{Name: "String", Pattern: `"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*'`},
		{Name: "Ident", Pattern: `[A-Za-z_][A-Za-z0-9_]*`},
		{Name: "Punct", Pattern: `[()\[\],=]`},
		{Name: "Space", Pattern: `\s+`},
	})
	return participle.MustBuild[starFile](participle.Lexer(tokens), participle.Elide("Comment", "Space"), participle.UseLookahead(2))
})

// tooDeep guards the recursive parsers.
func tooDeep(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '[', '{', '(':
			if depth++; depth > 100 {
				return true
			}
		case ']', '}', ')':
			depth--
		}
	}
	return false
}

func syntaxError(source Source, err error) error {
	line := 0
	if positioned, ok := errors.AsType[participle.Error](err); ok {
		line = positioned.Position().Line
	}
	return &Error{File: source.Name, Line: line, Code: CodeSyntax, Message: err.Error()}
}

// parseCodex reads prefix_rule of a .rules file (facts §3.4). Other calls are read and come as
// rules without words, for a report.
func parseCodex(source Source) ([]Rule, error) {
	if tooDeep(source.Text) {
		return nil, &Error{File: source.Name, Code: CodeLimit, Message: "nested more than 100 deep"}
	}
	file, err := starFiles().ParseBytes(source.Name, source.Text)
	if err != nil {
		return nil, syntaxError(source, err)
	}
	var out []Rule
	for _, call := range file.Calls {
		r := Rule{Line: call.Pos.Line, Action: Allow, Tool: call.Name, Text: call.Name}
		for _, arg := range call.Args {
			if err := r.codexArgument(source, call.Name, arg); err != nil {
				return nil, err
			}
		}
		if call.Name == "prefix_rule" {
			if len(r.Words) == 0 {
				return nil, &Error{source.Name, r.Line, CodeValue, "a prefix_rule has a pattern that is not empty"}
			}
			r.Tool = "shell"
			r.Text = "prefix_rule"
			for _, alternatives := range r.Words {
				r.Text += " " + strings.Join(alternatives, "/")
			}
			r.Text += " " + r.Action.String()
		}
		out = append(out, r)
	}
	return out, nil
}

func (r *Rule) codexArgument(source Source, name string, arg *starArg) error {
	bad := func(format string, args ...any) error {
		return &Error{source.Name, arg.Pos.Line, CodeValue, fmt.Sprintf(format, args...)}
	}
	switch arg.Name {
	case "decision":
		if arg.Value.Text == nil {
			return bad("decision is allow, prompt or forbidden")
		}
		switch unquote(*arg.Value.Text) {
		case "allow":
			r.Action = Allow
		case "prompt":
			r.Action = Ask
		case "forbidden", "deny":
			r.Action = Deny
		default:
			return bad("decision is allow, prompt or forbidden")
		}
	case "pattern":
		for _, item := range arg.Value.List {
			words := []string{}
			if item.Text != nil {
				words = append(words, unquote(*item.Text))
			}
			for _, alternative := range item.List {
				if alternative.Text == nil {
					return bad("a word of a pattern is a string or a list of strings")
				}
				words = append(words, unquote(*alternative.Text))
			}
			if len(words) == 0 {
				return bad("a word of a pattern is a string or a list of strings")
			}
			r.Words = append(r.Words, words)
		}
	case "justification", "match", "not_match":
	default:
		if name == "prefix_rule" {
			return bad("prefix_rule has no argument %.60q", arg.Name)
		}
	}
	return nil
}

// unquote takes the quotes and simple escapes off a string.
func unquote(text string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`, `\n`, "\n", `\t`, "\t").Replace(text[1 : len(text)-1])
}

const maxAlternatives = 200

// importCodex makes guards of prompt and forbidden, for the strictest rule wins.
func (d *document) importCodex(parsed []Rule) {
	for _, r := range parsed {
		e := d.entryOf(r)
		if r.Tool != "shell" {
			if r.Action == Allow {
				d.loss(Dropped, &e, r.Tool+" has no form here")
			} else {
				d.loss(Partial, &e, r.Tool+" has no form here; write a guard with a host condition")
			}
			continue
		}
		prefixes, ok := spread(r.Words)
		e.operations = []string{"bash"}
		if r.Action == Allow {
			if !ok {
				d.loss(Dropped, &e, "its words have no form here that allows no more")
				continue
			}
			e.provider, e.commands, e.when = string(Codex), prefixes, plainText
			d.allow(e)
			continue
		}
		e.operations = append(e.operations, "Bash", "shell", "exec_command")
		e.commands = prefixes
		if !ok {
			e.commands = nil
			d.loss(Stricter, &e, "its words have no form here: the rule counts for all commands")
		}
		d.restrict(e)
	}
}

// spread writes the alternatives of a pattern out.
func spread(words [][]string) (prefixes []string, ok bool) {
	prefixes = []string{""}
	for _, alternatives := range words {
		var next []string
		for _, prefix := range prefixes {
			for _, word := range alternatives {
				if !safeWord.MatchString(word) {
					return nil, false
				}
				next = append(next, strings.TrimSpace(prefix+" "+word))
			}
		}
		if prefixes = next; len(prefixes) > maxAlternatives {
			return nil, false
		}
	}
	return prefixes, !slices.ContainsFunc(prefixes, func(p string) bool { return !compiles(p) })
}

// matchCodex splits a script of plain words and takes the strictest rule; any other script is one
// word, which matches nothing. A program's directory does not count (facts §3.4).
func matchCodex(parsed []Rule, call Call) Verdict {
	if call.Server != "" || call.Tool != "shell" || strings.ContainsAny(call.Arg, "<>$*?(){}[]`\\~!#") {
		return None
	}
	verdict, all := None, true
	parts := shellParts(call.Arg)
	for _, part := range parts {
		argv := strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(part))
		if len(argv) == 0 || strings.Contains(argv[0], "=") {
			return None // an assignment makes the script opaque
		}
		this := None
		for _, r := range parsed {
			if r.Tool == "shell" && prefixMatches(r.Words, argv) {
				this = stricter(this, r.Action)
			}
		}
		all = all && this != None
		verdict = stricter(verdict, this)
	}
	if verdict == Allow && !all {
		return None
	}
	return verdict
}

func prefixMatches(words [][]string, argv []string) bool {
	if len(argv) < len(words) {
		return false
	}
	for i, alternatives := range words {
		word := argv[i]
		if i == 0 {
			word = word[strings.LastIndexByte(word, '/')+1:]
		}
		if !slices.Contains(alternatives, word) && !slices.Contains(alternatives, argv[i]) {
			return false
		}
	}
	return true
}

// renderCodex writes forbidden prefixes; nothing else has a form.
func (x *export) renderCodex() {
	var b strings.Builder
	b.WriteString("# Exported from agent.hcl. Only denied commands have a form here.\n")
	for _, p := range x.patterns {
		words := strings.Split(p.command, " ")
		if p.subject != shell || p.exact || strings.Contains(p.command, "*") {
			x.lose(Loss{Effect: Partial, Rule: p.rule.DecidedBy(), File: p.rule.File, Line: p.rule.Line, Tools: []string{"shell"},
				Reason: "it has no form in rules about prefixes of commands"})
			continue
		}
		quoted := make([]string, len(words))
		for i, word := range words {
			quoted[i] = fmt.Sprintf("%q", word)
		}
		fmt.Fprintf(&b, "prefix_rule(pattern=[%s], decision=\"forbidden\", justification=%q)\n", strings.Join(quoted, ", "), reasonText(p.rule))
	}
	for _, t := range x.tools {
		if t.verdict != Allow {
			x.lose(Loss{Effect: Partial, Rule: t.by, File: t.file, Line: t.line, Tools: t.names,
				Reason: "rules of this CLI cannot " + t.verdict.String() + " a whole tool"})
		}
	}
	x.lose(Loss{Effect: Partial, Rule: "policies about other tools and servers", Reason: "rules of this CLI are about commands only"})
	x.Text = []byte(b.String())
}

func reasonText(rule *ruleRef) string {
	if rule.reason != "" {
		return rule.reason
	}
	return "Denied by " + rule.DecidedBy()
}
