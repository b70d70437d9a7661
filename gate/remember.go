package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// memory holds the verdicts for the session, by key.
type memory struct {
	allowed, denied map[string]string // key -> actor
}

// remembered reads the verdicts for the session of this epoch. They are rows of the
// items they were given on, so that one given by another process counts too, and
// they end with the epoch (spec GAT-25).
func (s *Session) remembered(r Reader) (memory, error) {
	m := memory{map[string]string{}, map[string]string{}}
	err := eachItem(r, Filter{Session: s.id, SessionVerdicts: s.epoch}, func(item Item) error {
		into := m.allowed
		if item.Answer.Decision == plangate.Deny {
			into = m.denied
		}
		for _, key := range item.Remember {
			into[key] = item.Answer.Actor
		}
		return nil
	})
	return m, err
}

// denial returns who denied one of the keys for the session.
func (m *memory) denial(keys []string) (actor string, ok bool) {
	for _, key := range keys {
		if actor, ok := m.denied[key]; ok && strings.HasPrefix(key, denies) {
			return actor, true
		}
	}
	return "", false
}

// allowance returns who allowed the keys for the session: all of them have to be.
func (m *memory) allowance(keys []string) (actor string, ok bool) {
	for _, key := range keys {
		if !strings.HasPrefix(key, allows) {
			continue
		}
		if actor, ok = m.allowed[key]; !ok {
			return "", false
		}
	}
	return actor, actor != ""
}

// A key begins with the verdicts that it serves. One that allows also holds what the
// call was judged under, because the same words mean something else there.
const (
	allows = "allow:"
	denies = "deny:"
)

// remember returns the keys under which a verdict for the session on a call is kept
// and looked up (spec GAT-24).
//
// An operation that runs no command has one key, its provider and name. One that
// does has a key for each simple command, made of all that decides what it does: the
// command as written, the directory, and the other arguments. Where that is not all
// there is to it, because the commands are joined by more than a list, change what
// later ones do, or are not certain, the script as a whole is the key. So it is if it
// cannot be told whether there are commands.
func (p *Policy) remember(trace *eval.Trace, item *Item) []string {
	keys := []string{}
	for _, parts := range p.subjects(trace) {
		around := []string{item.Call.Profile, item.Kind.String(), item.Risk.String(), item.Call.Workspace, item.Call.Home}
		keys = append(keys, denies+key(parts...), allows+key(append(around, parts...)...))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// subjects returns what a verdict for the session is about, one or more.
func (p *Policy) subjects(trace *eval.Trace) (all [][]string) {
	call := &trace.Call
	pair := [][]string{{"operation", call.Provider, call.Operation}}
	script := scriptOf(trace)
	if p.Table.Settings().Approvals.SessionScope == eval.ScopeOperation {
		return pair
	}
	if script == "" && len(trace.Items) > 0 && (p.knows(call) || !mayRun(call.Input)) {
		return pair
	}
	around, err := argumentsBeside(call.Input, script)
	if err != nil || !isPlainList(trace, script) {
		whole, _ := canonical(call.Input) // was canonical before
		return [][]string{{"script", call.Provider, call.Operation, call.Cwd, string(whole)}}
	}
	for _, item := range trace.Items {
		all = append(all, []string{"command", call.Provider, call.Operation, call.Cwd, around, item.Text[item.Start:item.End]})
	}
	return all
}

// knows reports whether a catalog says what the arguments of a call's operation are.
func (p *Policy) knows(call *plangate.Call) bool {
	if p.Catalog == nil {
		return false
	}
	_, ok := p.Catalog.Find(call.Provider, call.Operation)
	return ok
}

// runs are names of arguments that say what a program does. An operation that has one,
// and of which no catalog says that it runs commands, is remembered by its whole input.
const runs = " arg args argument arguments argv bin binary cmd cmdline code command commands exe exec executable expression " +
	"program query run script shell source_code sql statement task "

// mayRun reports whether an input has an argument, at any depth, that may be a program
// or for one.
func mayRun(input json.RawMessage) bool {
	var value any
	return len(input) > 0 && (json.Unmarshal(input, &value) != nil || namesProgram(value))
}

func namesProgram(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if strings.Contains(runs, " "+strings.ToLower(name)+" ") || namesProgram(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, namesProgram)
	}
	return false
}

// scriptOf returns the command text of a call, or "" if it has none.
func scriptOf(trace *eval.Trace) string {
	for _, item := range trace.Items {
		if item.Text != "" {
			return item.Text
		}
	}
	return ""
}

// isPlainList reports whether a script is nothing but plain commands with `;`, `&&` or
// `||` between them, none of which changes what the next ones do.
func isPlainList(trace *eval.Trace, script string) bool {
	between, end := strings.Builder{}, 0
	for _, item := range trace.Items {
		if item.Text != script || item.Start < end || item.Start >= item.End || item.End > len(script) ||
			len(item.Unknown) > 0 || len(item.Effects) > 0 || !isPlainCommand(script[item.Start:item.End]) {
			return false
		}
		between.WriteString(script[end:item.Start])
		end = item.End
	}
	between.WriteString(script[end:])
	joints := strings.NewReplacer("&&", "", "||", "", ";", "", " ", "", "\t", "")
	return joints.Replace(between.String()) == ""
}

// isPlainCommand reports whether a command is of words that the shell takes as they
// are, and no builtin after which the next ones mean something else. The program is
// read only if it is written plainly: quotes or a tab in it can hide a builtin.
func isPlainCommand(command string) bool {
	word := command
	if words := strings.Fields(command); len(words) > 0 {
		word = words[0]
	}
	return !strings.ContainsAny(command, "|&<>$`(){}!\\\n\r\v\f*?[]~;#") &&
		strings.Trim(word, plainLetters) == "" && !strings.Contains(shellState, " "+path.Base(word)+" ")
}

const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-"

// shellState are the builtins of shells after which the same words can mean something
// else, and words that begin what is no simple command.
const shellState = " . alias autoload bg bindkey builtin case cd chdir command compdef coproc declare disable disown emulate enable " +
	"eval exec exit export fc fg float for foreach function functions getopts hash if integer jobs let limit local logout " +
	"mapfile noglob popd printf print pushd read readarray readonly rehash repeat return select set setopt shift shopt " +
	"source suspend time trap typeset ulimit umask unalias unfunction unhash unlimit unset unsetopt until vared wait " +
	"while zmodload zle "

// isNote reports an argument that only tells people or the runner something.
func isNote(name string, value json.RawMessage) bool {
	switch name {
	case "description":
		var text string
		return json.Unmarshal(value, &text) == nil
	case "timeout", "timeout_ms":
		var number float64
		return json.Unmarshal(value, &number) == nil
	default:
		return false
	}
}

// argumentsBeside returns the arguments of a call in canonical form, without the script
// but with the name of the argument it stands in.
func argumentsBeside(input json.RawMessage, script string) (string, error) {
	var arguments map[string]json.RawMessage
	if err := json.Unmarshal(input, &arguments); err != nil {
		return "", err
	}
	found := 0
	maps.DeleteFunc(arguments, isNote)
	for name, value := range arguments {
		var text string
		if json.Unmarshal(value, &text) == nil && text == script {
			found++
			arguments[name] = json.RawMessage("true")
		}
	}
	if found != 1 {
		return "", fmt.Errorf("the script stands in %d arguments", found)
	}
	rest, err := json.Marshal(arguments)
	if err != nil {
		return "", err
	}
	text, err := canonical(rest)
	return string(text), err
}

// key digests its parts, so that long ones are not cut and no text can be two keys.
func key(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// isGuarded reports whether anything that no verdict may lift asks about a call: a
// guard or a built-in rule, in any part of it (design §7).
func isGuarded(trace *eval.Trace) bool {
	for i := range trace.Parts {
		part := &trace.Parts[i]
		for _, guard := range part.Guards {
			if guard.Outcome != eval.DoesNotApply {
				return true
			}
		}
		if len(part.Builtins) > 0 || part.Decision.Rule().Type == plangate.RuleBuiltin {
			return true
		}
	}
	return false
}
