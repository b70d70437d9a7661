package bind

import (
	"fmt"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
	"github.com/plangate/plangate/facts"
)

// pathCondition is the condition path.
type pathCondition struct {
	patterns facts.PathPatterns
	named    bool // the rule names operations
	commands bool // the rule has a condition command, which judges the rest of a command
}

func newPathCondition(rule *eval.Rule, values []string) (judge, error) {
	patterns, err := compilePaths(values)
	c := &pathCondition{patterns: patterns, named: named(rule)}
	for _, other := range rule.Conditions {
		c.commands = c.commands || other.Type == "command"
	}
	return c, err
}

func compilePaths(values []string) (facts.PathPatterns, error) {
	var patterns facts.PathPatterns
	for _, value := range values {
		pattern, err := facts.CompilePath(value)
		if err != nil {
			return nil, err
		}
		patterns = append(patterns, pattern)
	}
	return patterns, nil
}

// test implements judge (spec CND-6).
func (c *pathCondition) test(r *readings, item int, action plangate.Action) eval.Truth {
	call := r.Call
	if facts.ModeOf(action) == facts.Permissive {
		return c.permits(call, call.Unit(item))
	}
	return c.restricts(call, call.Unit(item))
}

// permits wants every path of the item to match, and at least one.
func (c *pathCondition) permits(call *facts.Call, u *facts.Unit) eval.Truth {
	if u.Loose || !u.Certain() || u.Surrounded() || u.Command != nil && !c.plain(u) {
		return eval.Unknown
	}
	answer, seen := eval.Yes, false
	for _, places := range [][]facts.Place{call.Places(), u.Places()} {
		for i := range places {
			if !places[i].Inner {
				continue
			}
			seen = true
			answer = answer.And(c.patterns.MatchPlace(&places[i], facts.Permissive))
		}
	}
	switch {
	case seen:
		return answer
	case u.State == facts.Unstated:
		return eval.Unknown
	default:
		return eval.No
	}
}

// plain reports whether nothing about a command is left for a path condition
// alone to judge: no wrapper and no assignment.
func (c *pathCondition) plain(u *facts.Unit) bool {
	return c.commands || u.Command.Outer == nil && len(u.Command.Assigns) == 0 && !u.Command.Background
}

// restricts is satisfied with one path that matches.
func (c *pathCondition) restricts(call *facts.Call, u *facts.Unit) eval.Truth {
	answer := eval.No
	if call.PathState() == facts.Unstated && u.Command == nil && c.named {
		answer = eval.Unknown
	}
	answer = answer.Or(anyPlace(call.Places(), c.patterns))
	if u.Command == nil && u.Unknown != "" {
		return answer.Or(eval.Unknown)
	}
	return answer.Or(loosely(u, anyPlace(u.Places(), c.patterns).Or(doubt(u))))
}

// doubt is unknown if the command may do what is not seen.
func doubt(u *facts.Unit) eval.Truth {
	if u.Certain() {
		return eval.No
	}
	return eval.Unknown
}

func anyPlace(places []facts.Place, patterns facts.PathPatterns) eval.Truth {
	answer := eval.No
	for i := range places {
		answer = answer.Or(patterns.MatchPlace(&places[i], facts.Restrictive))
	}
	return answer
}

// notes implements noter: the patterns as they were compared.
func (c *pathCondition) notes(r *readings, action plangate.Action) []string {
	call := r.Call
	roots := facts.Roots{Workspace: call.Subject.Call.Workspace, Home: call.Subject.Call.Home}
	var compared []string
	for _, pattern := range c.patterns {
		absolute := pattern.Absolute(roots, facts.ModeOf(action))
		if absolute == "" {
			absolute = pattern.String() + " (its root is not known)"
		}
		compared = append(compared, absolute)
	}
	return []string{fmt.Sprintf("path compared with %s", strings.Join(compared, ", "))}
}

// writeCondition is the condition writes of built-in guards: a file that matches
// may be changed or removed.
type writeCondition struct {
	// named are the patterns for a file that is named, rooted those for what is
	// below a directory: anything may be below it that ** reaches. Those in the home
	// directory are apart, because a call may not say where that is.
	named, rooted, home facts.PathPatterns
}

func newWriteCondition(values []string) (judge, error) {
	patterns, err := compilePaths(values)
	c := &writeCondition{}
	for _, pattern := range patterns {
		text := pattern.String()
		switch {
		case strings.HasPrefix(text, "**"):
			c.named = append(c.named, pattern)
		case strings.HasPrefix(text, "~"):
			c.home = append(c.home, pattern)
		case strings.HasPrefix(text, "/"):
			c.named, c.rooted = append(c.named, pattern), append(c.rooted, pattern)
		default:
			c.rooted = append(c.rooted, pattern)
		}
	}
	return c, err
}

// test implements judge (spec BLT-1). It is always restrictive.
func (c *writeCondition) test(r *readings, item int, _ plangate.Action) eval.Truth {
	call := r.Call
	u := call.Unit(item)
	answer := c.any(call, call.Places())
	if u.Command == nil {
		return answer
	}
	return answer.Or(loosely(u, c.any(call, u.Places()).Or(doubt(u))))
}

func (c *writeCondition) any(call *facts.Call, places []facts.Place) eval.Truth {
	answer := eval.No
	for i := range places {
		if !places[i].Written {
			continue
		}
		places[i].Path() // read once for all copies
		place := places[i].Rooted(call)
		if place.Tree && len(c.rooted) > 0 && call.Subject.Call.Workspace != "" {
			answer = answer.Or(c.rooted.MatchPlace(&place, facts.Restrictive))
		}
		if place.Tree && len(c.home) > 0 && call.Subject.Call.Home != "" {
			answer = answer.Or(c.home.MatchPlace(&place, facts.Restrictive))
		}
		place.Tree = false
		answer = answer.Or(c.named.MatchPlace(&place, facts.Restrictive))
	}
	return answer
}
