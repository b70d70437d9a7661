package bind

import (
	"encoding/json"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/command"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/facts"
)

// grantCondition is the condition grant. Anything but exactly one plain git
// command is no match, whatever the rule's action (spec CMD-16).
type grantCondition struct{ names []string }

// test implements judge.
func (c grantCondition) test(r *readings, _ int, _ plangate.Action) eval.Truth {
	call := r.Call
	texts, complete := call.CommandTexts()
	if !isShell(call) || !complete || len(texts) != 1 || call.Surrounded() || call.Moved() || !posix(call.Roles.Shell) {
		return eval.No
	}
	branch := branchOf(call.Subject.Call.Session)
	for _, name := range c.names {
		if command.Grant(name, texts[0], branch) {
			return eval.Yes
		}
	}
	return eval.No
}

// isShell reports whether an operation is known to run its command argument, by the
// catalog or by the name that most agents give their shell. Another tool may do anything
// with an argument of that name.
func isShell(call *facts.Call) bool {
	name := call.Subject.Call.Operation
	return call.Subject.Declared || name == "bash" || name == "Bash"
}

// posix reports whether plain words mean the same as in Bash.
func posix(shell string) bool {
	switch shell {
	case "", "bash", "sh", "zsh":
		return true
	}
	return false
}

// branchOf returns session.branch, or "" if it is not a string.
func branchOf(session json.RawMessage) string {
	var members map[string]json.RawMessage
	var branch string
	if json.Unmarshal(session, &members) != nil || json.Unmarshal(members["branch"], &branch) != nil {
		return ""
	}
	return branch
}
