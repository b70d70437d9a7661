package rules

import (
	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
)

// someOnly judges what no context can change: what an operation has no argument for, and with
// commands also what the text of a command settles. All else stays unknown.
type someOnly struct {
	eval.Binder
	commands bool
}

// shape is what is known of a call whatever its input.
type shape struct {
	eval.Readings
	known *eval.Operation
}

// Read implements eval.Binder.
func (s someOnly) Read(call plangate.Call, known *eval.Operation) eval.Readings {
	return shape{s.Binder.Read(call, known), known}
}

// Bind implements eval.Binder.
func (s someOnly) Bind(rule *eval.Rule, i int) (eval.Condition, error) {
	kind := rule.Conditions[i].Type
	if s.commands && (kind == string(dsl.Command) || kind == "writes") {
		inner, err := s.Binder.Bind(rule, i)
		return unwrap{inner}, err
	}
	return absent(kind), nil
}

// unwrap hands the readings of the real binder to its condition.
type unwrap struct{ eval.Condition }

// Test implements eval.Condition.
func (u unwrap) Test(readings eval.Readings, item int, action plangate.Action) eval.Truth {
	if s, ok := readings.(shape); ok {
		readings = s.Readings
	}
	return u.Condition.Test(readings, item, action)
}

// absent is a condition of this type that is no where the catalog has no argument for it.
type absent string

// Test implements eval.Condition.
func (a absent) Test(readings eval.Readings, _ int, _ plangate.Action) eval.Truth {
	s, ok := readings.(shape)
	if !ok || s.known == nil || s.known.Roles.Guessed || len(s.known.Roles.Command) > 0 {
		return eval.Unknown
	}
	switch roles := &s.known.Roles; {
	case string(a) == string(dsl.Command),
		string(a) == string(dsl.Path) && len(roles.Path) == 0,
		string(a) == "writes" && len(roles.Path) == 0,
		string(a) == string(dsl.Host) && len(roles.URL) == 0:
		return eval.No
	}
	return eval.Unknown
}
