package rules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// tomlFile is the part of TOML that policy files consist of: arrays of tables with pairs.
type tomlFile struct {
	Tables []*tomlTable `parser:"@@*"`
}

type tomlTable struct {
	Pos   lexer.Position
	Name  string      `parser:"'[' '[' @(Bare | String) ']' ']'"`
	Pairs []*tomlPair `parser:"@@*"`
}

type tomlPair struct {
	Pos   lexer.Position
	Key   string     `parser:"@(Bare | String) '='"`
	Value *tomlValue `parser:"@@"`
}

type tomlValue struct {
	Text  *string      `parser:"  @String"`
	Word  *string      `parser:"| @Bare"`
	List  []*tomlValue `parser:"| '[' ( @@ ( ',' @@ )* ','? )? ']'"`
	Table *tomlInline  `parser:"| @@"`
}

type tomlInline struct {
	Pairs []*tomlPair `parser:"'{' ( @@ ( ',' @@ )* )? '}'"`
}

var tomlFiles = sync.OnceValue(func() *participle.Parser[tomlFile] {
	tokens := lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Comment", Pattern: `#[^\n]*`},
		{Name: "String", Pattern: `"(\\.|[^"\\\n])*"|'[^'\n]*'`},
		{Name: "Bare", Pattern: `[A-Za-z0-9_.+-]+`},
		{Name: "Punct", Pattern: `[\[\]{},=]`},
		{Name: "Space", Pattern: `\s+`},
	})
	return participle.MustBuild[tomlFile](participle.Lexer(tokens), participle.Elide("Comment", "Space"), participle.UseLookahead(2))
})

// parseGemini reads [[rule]] tables of a policy file, highest priority first (facts §4.2). A rule of
// several tools or prefixes becomes one for each; a condition that is not read narrows it.
func parseGemini(source Source) ([]Rule, error) {
	if tooDeep(source.Text) {
		return nil, &Error{File: source.Name, Code: CodeLimit, Message: "nested more than 100 deep"}
	}
	file, err := tomlFiles().ParseBytes(source.Name, source.Text)
	if err != nil {
		return nil, syntaxError(source, err)
	}
	var out []Rule
	for _, table := range file.Tables {
		if table.Name != "rule" {
			if table.Name == "safety_checker" {
				out = append(out, Rule{Text: table.Name, Line: table.Pos.Line})
				continue
			}
			return nil, &Error{source.Name, table.Pos.Line, CodeValue, fmt.Sprintf("unknown table %.60q; want rule", table.Name)}
		}
		read, err := geminiRules(source, table)
		if err != nil {
			return nil, err
		}
		out = append(out, read...)
	}
	slices.SortStableFunc(out, func(a, b Rule) int { return cmp.Compare(b.Rank, a.Rank) })
	return out, nil
}

// geminiTable is a rule while it is read.
type geminiTable struct {
	Rule
	tools, prefixes []string
	decided, ranked bool
}

func geminiRules(source Source, table *tomlTable) ([]Rule, error) {
	g := geminiTable{Rule: Rule{Line: table.Pos.Line}}
	for _, pair := range table.Pairs {
		if err := g.pair(pair); err != nil {
			return nil, &Error{source.Name, pair.Pos.Line, CodeValue, err.Error()}
		}
	}
	if !g.decided || !g.ranked {
		return nil, &Error{source.Name, g.Line, CodeValue, "a rule has a decision and a priority"}
	}
	if len(g.tools) == 0 {
		g.tools = []string{""}
		if g.Server == "" {
			g.tools[0] = "*"
		}
	}
	var out []Rule
	for _, name := range g.tools {
		r := g.Rule
		r.Tool = name
		r.Text = strings.TrimSpace(fmt.Sprintf("rule %s %s %s %s", g.Action, g.Server, name, g.Pattern))
		if len(g.prefixes) == 0 {
			out = append(out, r)
		}
		for _, prefix := range g.prefixes {
			r.Has, r.Prefix, r.Pattern = true, true, prefix
			r.Text = fmt.Sprintf("rule %s %s %s", g.Action, name, prefix)
			out = append(out, r)
		}
	}
	return out, nil
}

func (g *geminiTable) pair(pair *tomlPair) error {
	texts, ok := pair.Value.texts()
	switch key := pair.Key; key {
	case "toolName":
		g.tools = texts
	case "commandPrefix":
		g.prefixes = texts
	case "mcpName":
		if len(texts) == 1 {
			g.Server = texts[0]
		}
	case "decision":
		if len(texts) != 1 {
			return fmt.Errorf("decision is allow, deny or ask_user")
		}
		g.decided = true
		switch texts[0] {
		case "allow":
			g.Action = Allow
		case "deny":
			g.Action = Deny
		case "ask_user":
			g.Action = Ask
		default:
			return fmt.Errorf("decision is allow, deny or ask_user")
		}
	case "priority":
		if pair.Value.Word == nil {
			return fmt.Errorf("priority is a number from 0 to 999")
		}
		rank, err := strconv.Atoi(*pair.Value.Word)
		if err != nil || rank < 0 || rank > 999 {
			return fmt.Errorf("priority is a number from 0 to 999")
		}
		g.ranked, g.Rank = true, float64(rank)
		return nil
	case "argsPattern", "commandRegex":
		if len(texts) == 1 {
			g.Has, g.Regex, g.Pattern = true, true, texts[0]
			if key == "commandRegex" {
				g.Narrowed = key
			}
		}
	case "denyMessage", "allowRedirection", "name", "description":
		return nil
	case "modes", "subagent", "toolAnnotations", "interactive":
		g.Narrowed = key
		return nil
	default:
		return fmt.Errorf("unknown key %.60q in a rule", key)
	}
	if !ok || len(texts) == 0 {
		return fmt.Errorf("%s is a string or a list of strings", pair.Key)
	}
	return nil
}

// texts returns a string or a list of strings.
func (v *tomlValue) texts() (out []string, ok bool) {
	if v.Text != nil {
		return []string{tomlText(*v.Text)}, true
	}
	for _, item := range v.List {
		if item.Text == nil {
			return nil, false
		}
		out = append(out, tomlText(*item.Text))
	}
	return out, v.List != nil
}

func tomlText(text string) string {
	if text[0] == '\'' {
		return text[1 : len(text)-1]
	}
	return unquote(text)
}

// matchGemini takes the first rule for each part of a command: a deny of one is enough, an allow
// needs all, and a redirection turns it into an ask.
func matchGemini(parsed []Rule, call Call) Verdict {
	parts := []string{call.Arg}
	isShell := call.Server == "" && call.Tool == "run_shell_command"
	if isShell {
		// The whole text finds a rule first, then each part of it.
		parts = append(parts, shellParts(call.Arg)...)
	}
	verdict, all := None, true
	for _, part := range parts {
		this := firstMatch(parsed, func(r Rule) bool { return geminiMatches(r, call, part) })
		verdict, all = stricter(verdict, this), all && this != None
	}
	if verdict == Allow && !all {
		return None
	}
	if verdict == Allow && isShell && strings.ContainsAny(call.Arg, "<>") {
		return Ask
	}
	return verdict
}

func geminiMatches(r Rule, call Call, part string) bool {
	if !ruleNames(Gemini, r, call) {
		return false
	}
	switch {
	case !r.Has:
		return true
	case r.Prefix:
		return call.Tool == "run_shell_command" && (part == r.Pattern || strings.HasPrefix(part, r.Pattern+" "))
	default:
		matched, err := regexp.MatchString(r.Pattern, geminiArguments(call, part))
		return err != nil || matched
	}
}

// geminiArguments is the JSON text that argsPattern looks at: keys are sorted.
func geminiArguments(call Call, part string) string {
	key := "file_path"
	if call.Tool == "run_shell_command" {
		key = "command"
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(part) != nil {
		return ""
	}
	return `{"` + key + `":` + strings.TrimSuffix(b.String(), "\n") + "}"
}
