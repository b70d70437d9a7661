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
		if actor, ok := m.denied[key]; ok {
			return actor, true
		}
	}
	return "", false
}

// allowance returns who allowed the keys for the session: all of them have to be.
func (m *memory) allowance(keys []string) (actor string, ok bool) {
	for _, key := range keys {
		if actor, ok = m.allowed[key]; !ok {
			return "", false
		}
	}
	return actor, len(keys) > 0
}

// remember returns the keys under which a verdict for the session on a call is kept
// and looked up (spec GAT-24).
//
// An operation that runs no command has one key, its provider and name. One that
// does has a key for each simple command, made of all that decides what it does: the
// command as written, the directory, and the other arguments. Where that is not all
// there is to it, because the commands are joined by more than a list, change what
// later ones do, or are not certain, the script as a whole is the key. So it is if the
// table cannot tell whether there are commands.
func remember(scope eval.SessionScope, trace *eval.Trace) []string {
	call := &trace.Call
	pair := []string{"operation", call.Provider, call.Operation}
	script := scriptOf(trace)
	if scope == eval.ScopeOperation || script == "" && len(trace.Items) > 0 {
		return []string{key(pair...)}
	}
	around, err := argumentsBeside(call.Input, script)
	if err != nil || !isPlainList(trace, script) {
		whole, _ := canonical(call.Input) // was canonical before
		return []string{key("script", call.Provider, call.Operation, call.Cwd, string(whole))}
	}
	keys := make([]string, 0, len(trace.Items))
	for _, item := range trace.Items {
		command := item.Text[item.Start:item.End]
		keys = append(keys, key("command", call.Provider, call.Operation, call.Cwd, around, command))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
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
// are, and no builtin after which the next ones mean something else.
func isPlainCommand(command string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	word = path.Base(strings.Trim(word, `"'`))
	return !strings.ContainsAny(command, "|&<>$`(){}!\\\n\r*?[]~;#") && !strings.Contains(shellState, " "+word+" ")
}

// shellState are the builtins of shells after which the same words can mean something
// else, and words that begin what is no simple command.
const shellState = " . alias bg builtin case cd command coproc declare disown enable eval exec exit export fc fg for function " +
	"getopts hash if jobs let local logout mapfile popd pushd read readarray readonly return select set shift shopt source " +
	"time trap typeset ulimit umask unalias unset until wait while "

// notes are arguments that only tell people or the runner something.
var notes = []string{"description", "timeout", "timeout_ms"}

// argumentsBeside returns the arguments of a call without the script, in canonical form.
func argumentsBeside(input json.RawMessage, script string) (string, error) {
	var arguments map[string]json.RawMessage
	if err := json.Unmarshal(input, &arguments); err != nil {
		return "", err
	}
	found := 0
	maps.DeleteFunc(arguments, func(name string, value json.RawMessage) bool {
		var text string
		if json.Unmarshal(value, &text) == nil && text == script {
			found++
			return true
		}
		return slices.Contains(notes, name)
	})
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
