package bind

import (
	"github.com/plangate/plangate"
	"github.com/plangate/plangate/command"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/facts"
)

// commandCondition is the condition command.
type commandCondition struct {
	patterns []*command.Pattern
	named    bool // the rule names operations
	// covers is set if the rule has a path condition, which then judges the
	// files that redirections write.
	covers bool
}

func newCommandCondition(rule *eval.Rule, values []string) (judge, error) {
	c := &commandCondition{named: named(rule)}
	for _, value := range values {
		pattern, err := command.Compile(value)
		if err != nil {
			return nil, err
		}
		c.patterns = append(c.patterns, pattern)
	}
	for _, other := range rule.Conditions {
		c.covers = c.covers || other.Type == "path"
	}
	return c, nil
}

// test implements judge (spec CND-5).
func (c *commandCondition) test(r *readings, item int, action plangate.Action) eval.Truth {
	unit := r.Unit(item)
	if facts.ModeOf(action) == facts.Permissive {
		return c.permits(unit)
	}
	return c.restricts(unit)
}

func (c *commandCondition) permits(u *facts.Unit) eval.Truth {
	switch {
	case u.Blank():
		return eval.No
	case u.Command == nil || u.Loose || u.Unknown != "" || u.Surrounded():
		return eval.Unknown
	case !c.covers && len(u.Command.Writes()) > 0:
		return eval.No
	}
	answer := eval.No
	for _, pattern := range c.patterns {
		answer = answer.Or(truthOf(pattern.Match(u.Command, command.Permissive)))
	}
	return answer
}

func (c *commandCondition) restricts(u *facts.Unit) eval.Truth {
	switch {
	case u.Command == nil && u.State == facts.Unstated && !c.named:
		return eval.No
	case u.Command == nil && !u.Blank():
		return eval.Unknown
	case u.Command == nil:
		return eval.No
	}
	answer := eval.No
	for _, pattern := range c.patterns {
		answer = answer.Or(truthOf(pattern.Match(u.Command, command.Restrictive)))
	}
	return loosely(u, answer)
}

// loosely turns the answer for a text that may be no command: only a certain
// match is worth an unknown.
func loosely(u *facts.Unit, answer eval.Truth) eval.Truth {
	switch {
	case !u.Loose:
		return answer
	case answer == eval.Yes:
		return eval.Unknown
	default:
		return eval.No
	}
}

func truthOf(a command.Answer) eval.Truth {
	switch a {
	case command.Yes:
		return eval.Yes
	case command.No:
		return eval.No
	default:
		return eval.Unknown
	}
}
