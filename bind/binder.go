package bind

import (
	"fmt"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/facts"
)

// Binder is the [eval.Binder] for the conditions of the language.
type Binder struct {
	// When judges expressions; without it every `when` is unknown.
	When Language
	// Settings are for reading paths; the zero value has the defaults, which look
	// at the file system of the operating system.
	Settings facts.Settings
}

// Bind implements [eval.Binder].
func (b Binder) Bind(rule *eval.Rule, i int) (eval.Condition, error) {
	j, err := b.bind(rule, rule.Conditions[i])
	if err != nil {
		return nil, err
	}
	return condition{j}, nil
}

func (b Binder) bind(rule *eval.Rule, source eval.ConditionSource) (judge, error) {
	switch source.Type {
	case "command":
		return newCommandCondition(rule, source.Values)
	case "path":
		return newPathCondition(rule, source.Values)
	case "writes":
		return newWriteCondition(source.Values)
	case "host":
		return newHostCondition(rule, source.Values)
	case "grant":
		return grantCondition{source.Values}, nil
	case "when":
		return b.newWhenCondition(source.Values)
	default:
		return nil, fmt.Errorf("bind: unknown condition %q", source.Type)
	}
}

// judge answers for one item of a call that this package has read.
type judge interface {
	test(r *readings, item int, action plangate.Action) eval.Truth
}

// noter is a judge that can tell how it judged.
type noter interface {
	notes(r *readings, action plangate.Action) []string
}

// condition implements [eval.Condition] and [eval.Noter]. Readings of another
// binder tell it nothing.
type condition struct{ judge }

// Test implements [eval.Condition].
func (c condition) Test(r eval.Readings, item int, action plangate.Action) eval.Truth {
	mine, ok := r.(*readings)
	if !ok {
		return eval.Unknown
	}
	return c.test(mine, item, action)
}

// Notes implements [eval.Noter].
func (c condition) Notes(r eval.Readings, _ int, action plangate.Action) []string {
	mine, ok := r.(*readings)
	n, tells := c.judge.(noter)
	if !ok || !tells {
		return nil
	}
	return n.notes(mine, action)
}

// Read implements [eval.Binder].
func (b Binder) Read(call plangate.Call, known *eval.Operation) eval.Readings {
	subject := facts.Subject{Call: call, Roles: facts.ConventionalRoles(), Settings: b.Settings}
	if known != nil {
		subject.Roles, subject.Declared = known.Roles, !known.Roles.Guessed
		subject.Call = completed(call, known)
	}
	return &readings{Call: facts.ReadCall(subject), language: b.When}
}

// completed fills in what the call leaves out, and takes back what the catalog
// contradicts: an expression must not trust either of the two.
func completed(call plangate.Call, known *eval.Operation) plangate.Call {
	switch call.Kind {
	case plangate.KindUnspecified:
		call.Kind = known.Kind
	case known.Kind:
	default:
		call.Kind = plangate.KindUnspecified
	}
	switch call.Risk {
	case plangate.RiskUnspecified:
		call.Risk = known.Risk
	case known.Risk:
	default:
		call.Risk = plangate.RiskUnspecified
	}
	return call
}

// readings are the facts of a call with what only conditions here need.
type readings struct {
	*facts.Call
	language Language
	vars     any // for expressions; made when one asks
}

// variables returns what expressions read, made once.
func (r *readings) variables() any {
	if r.vars == nil {
		r.vars = r.language.Read(r.Subject.Call)
	}
	return r.vars
}

// named reports whether a rule says which operations it is about. It then
// claims that they have the argument it asks about.
func named(rule *eval.Rule) bool { return len(rule.Match.Operations) > 0 }
