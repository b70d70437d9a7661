package plangate

import (
	"fmt"
	"strings"
)

// Action is what a rule says about a call. Smaller is stricter: the zero value
// is [Deny], and the stricter of two actions is their minimum.
//
// [Hook] hands the call to the decision hook. It appears as the action a rule
// asked for ([Decision.MatchedAction]), never as the outcome of a decision. It
// ranks below [Allow] because a hook may refuse, and above [Ask] because it may
// answer without a human.
type Action uint8

// The actions, strictest first (spec DEC-1).
const (
	Deny Action = iota
	Ask
	Hook
	Allow
)

var actionNames = [...]string{Deny: "deny", Ask: "ask", Hook: "hook", Allow: "allow"}

// String returns the word used in agent.hcl and in JSON.
func (a Action) String() string { return nameOf(actionNames[:], int(a)) }

// Restrictive reports whether a rule with this action takes something away.
// Restrictive rules apply when they are possible, permissive ones only when
// they are certain (spec CER-1). A hook counts as restrictive: skipping it
// would skip somebody's veto.
func (a Action) Restrictive() bool { return a != Allow }

// ParseAction returns the action for one of the words deny, ask, hook, allow.
func ParseAction(text string) (Action, error) {
	i, err := indexOf("action", actionNames[:], text)
	return Action(i), err
}

// MarshalText implements [encoding.TextMarshaler]; a value out of range is an error.
func (a Action) MarshalText() ([]byte, error) { return textOf("action", actionNames[:], int(a)) }

// UnmarshalText implements [encoding.TextUnmarshaler]; unknown text is an error.
func (a *Action) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAction(string(text))
	return err
}

// nameOf is the String method shared by the enumerations: it never fails.
func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("invalid(%d)", i)
}

func textOf(what string, names []string, i int) ([]byte, error) {
	if i >= len(names) || names[i] == "" {
		return nil, fmt.Errorf("plangate: %s %d has no text", what, i)
	}
	return []byte(names[i]), nil
}

func indexOf(what string, names []string, text string) (int, error) {
	for i, name := range names {
		if name != "" && name == text {
			return i, nil
		}
	}
	return 0, fmt.Errorf("plangate: unknown %s %q; want one of %s", what, text, wordList(names))
}

func wordList(names []string) string {
	words := make([]string, 0, len(names))
	for _, name := range names {
		if name != "" {
			words = append(words, name)
		}
	}
	return strings.Join(words, ", ")
}
