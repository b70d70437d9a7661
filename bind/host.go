package bind

import (
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/command"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/facts"
)

// hostCondition is the condition host.
type hostCondition struct {
	patterns facts.HostPatterns
	named    bool // the rule names operations
}

func newHostCondition(rule *eval.Rule, values []string) (judge, error) {
	c := &hostCondition{named: named(rule)}
	for _, value := range values {
		pattern, err := facts.CompileHost(value)
		if err != nil {
			return nil, err
		}
		c.patterns = append(c.patterns, pattern)
	}
	return c, nil
}

// test implements judge (spec CND-7).
func (c *hostCondition) test(r *readings, item int, action plangate.Action) eval.Truth {
	call := r.Call
	if facts.ModeOf(action) == facts.Permissive {
		return c.permits(call, call.Unit(item))
	}
	return c.restricts(call, call.Unit(item))
}

// permits wants every URL of the item to match, and at least one.
func (c *hostCondition) permits(call *facts.Call, u *facts.Unit) eval.Truth {
	argument := call.URLs()
	if u.Loose || !u.Certain() || u.Surrounded() || argument.Unknown != "" {
		return eval.Unknown
	}
	answer, seen := eval.Yes, len(argument.Texts) > 0
	for _, text := range argument.Texts {
		answer = answer.And(c.patterns.Match(facts.ReadHost(text), facts.Permissive))
	}
	if u.Command != nil {
		answer, seen = answer.And(c.permitsCommand(u.Command)), true
	}
	switch {
	case seen:
		return answer
	case argument.State == facts.Unstated:
		return eval.Unknown
	default:
		return eval.No
	}
}

// permitsCommand takes a command only if all its words are URLs that match and
// flags without a value, so that no other word can redirect it.
func (c *hostCondition) permitsCommand(cmd *command.Command) eval.Truth {
	answer, seen := eval.Yes, false
	words, _ := cmd.HostWords()
	for _, operand := range cmd.Operands() {
		text := operand.Word.Text
		if !operand.Word.Known || !operand.Sure || !strings.Contains(text, "://") {
			return eval.Unknown
		}
		seen = true
		answer = answer.And(c.patterns.Match(facts.ReadHost(text), facts.Permissive))
	}
	if !seen || len(words) == 0 {
		return eval.Unknown
	}
	return answer
}

// restricts is satisfied with one host that matches.
func (c *hostCondition) restricts(call *facts.Call, u *facts.Unit) eval.Truth {
	argument := call.URLs()
	answer := eval.No
	if argument.Unknown != "" || argument.State == facts.Unstated && u.Command == nil && c.named {
		answer = eval.Unknown
	}
	for _, text := range argument.Texts {
		answer = answer.Or(c.patterns.Match(facts.ReadHost(text), facts.Restrictive))
	}
	for _, text := range call.LooseTexts() {
		if strings.Contains(text, "://") && c.patterns.Match(facts.ReadHost(text), facts.Restrictive) == eval.Yes {
			answer = answer.Or(eval.Unknown)
		}
	}
	if u.Unknown != "" {
		return answer.Or(eval.Unknown)
	}
	return answer.Or(loosely(u, c.connects(u.Command).Or(doubt(u))))
}

// connects judges the hosts that a command and the wrappers around it name.
func (c *hostCondition) connects(cmd *command.Command) eval.Truth {
	answer := eval.No
	for f := cmd; f != nil; f = f.Outer {
		words, network := f.HostWords()
		if network && len(words) == 0 {
			answer = answer.Or(eval.Unknown) // it goes where its configuration says
		}
		for _, word := range words {
			host := facts.ReadHost(word.Text)
			if !word.Known {
				host = facts.UnknownHost(word.Text)
			}
			answer = answer.Or(c.patterns.Match(host, facts.Restrictive))
		}
	}
	return answer
}
