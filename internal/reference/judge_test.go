package reference_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/dsl"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/internal/reference"
)

// items are what the fake conditions look at: a word for each item of a call,
// with the answers to the questions a to g: y, n or - for unknown. Conditions of
// files ask a and b, built-in guards the others.
type items []string

// builtinValues are the first values of the built-in guards.
var builtinValues = []string{
	"**/agent.hcl", "**/.claude/settings*.json", "**/.git/hooks/**", "**/.local/state/plangate/**", "policyctl trust",
}

// inputOf and readItems are each other's inverse. Text that is no such input is
// one item without answers.
func inputOf(all items) json.RawMessage {
	return json.RawMessage(inputStart + strings.Join(all, " ") + inputEnd)
}

const inputStart, inputEnd = `{"items":"`, `"}`

func readItems(call plangate.Call) items {
	text, ok := strings.CutPrefix(string(call.Input), inputStart)
	if !ok {
		return items{"-------"}
	}
	return strings.Split(strings.TrimSuffix(text, inputEnd), " ")
}

// answer maps the values of conditions to answers. The values a and b ask the
// call; grants stand for them because their names are fixed.
func (all items) answer(value string, item int, action plangate.Action) reference.Truth {
	switch value {
	case "yes":
		return reference.Yes
	case "no":
		return reference.No
	case "strict":
		if action.Restrictive() {
			return reference.Yes
		}
		return reference.Unknown
	case "a", "input.a", "git-commit":
		return truthOf(all[item][0])
	case "b", "input.b", "git-rebase":
		return truthOf(all[item][1])
	}
	if i := slices.Index(builtinValues, value); i >= 0 {
		return truthOf(all[item][2+i])
	}
	return reference.Unknown
}

// any is yes if one value is, else unknown if one is, else no.
func (all items) any(values []string, item int, action plangate.Action) reference.Truth {
	best := reference.No
	for _, value := range values {
		best = max(best, all.answer(value, item, action))
	}
	return best
}

func truthOf(letter byte) reference.Truth {
	switch letter {
	case 'y':
		return reference.Yes
	case 'n':
		return reference.No
	default:
		return reference.Unknown
	}
}

// fakeJudge is the reference's side of the fake conditions.
type fakeJudge struct{}

func (fakeJudge) Items(call plangate.Call) int { return len(readItems(call)) }

func (fakeJudge) Test(q reference.Question) reference.Truth {
	values := []string{q.Condition.Text}
	if q.Condition.Type != dsl.When {
		values = values[:0]
		for _, value := range q.Condition.Values {
			values = append(values, value.Value)
		}
	}
	if q.Body == nil {
		values = values[:1] // a built-in guard's others are like the first
	}
	return readItems(q.Call).any(values, q.Item, q.Action)
}

// fakeBinder is the table's side of the fake conditions.
type fakeBinder struct{}

func (fakeBinder) Bind(rule *eval.Rule, condition int) (eval.Condition, error) {
	values := rule.Conditions[condition].Values
	if rule.Type == plangate.RuleBuiltin {
		values = values[:1] // the others are like it
	}
	return fakeCondition{values}, nil
}

func (fakeBinder) Read(call plangate.Call, _ *eval.Operation) eval.Readings {
	return fakeReadings{readItems(call)}
}

type fakeReadings struct{ items }

func (r fakeReadings) Items() int { return len(r.items) }

func (r fakeReadings) Item(i int) eval.Item {
	return eval.Item{Text: r.items[i], Unknown: []string{}, Effects: []string{}}
}

type fakeCondition struct{ values []string }

func (c fakeCondition) Test(readings eval.Readings, item int, action plangate.Action) eval.Truth {
	switch readings.(fakeReadings).any(c.values, item, action) {
	case reference.Yes:
		return eval.Yes
	case reference.No:
		return eval.No
	default:
		return eval.Unknown
	}
}
