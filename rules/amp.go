package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// parseAmp reads amp.permissions of a settings file (facts §6.1). The first that matches wins. A
// delegate asks a program, so it counts as ask; a context narrows a rule.
func parseAmp(source Source) ([]Rule, error) {
	root, err := readTree(source, false)
	if err != nil {
		return nil, err
	}
	list := root.get("amp.permissions")
	out := root.named("amp.tools.disable", "amp.tools.enable", "amp.mcpPermissions")
	if list == nil {
		return out, nil
	}
	if list.kind != isArray {
		return nil, list.errorf(source, "amp.permissions is not a list of rules")
	}
	for _, item := range list.items {
		read, err := ampRules(source, item)
		if err != nil {
			return nil, err
		}
		out = append(out, read...)
	}
	return out, nil
}

func ampRules(source Source, item *node) ([]Rule, error) {
	r := Rule{Line: item.line}
	if item.kind != isObject || item.get("tool") == nil || item.get("tool").kind != isString || item.get("action") == nil {
		return nil, item.errorf(source, "a rule has a tool and an action")
	}
	r.Tool = item.get("tool").text
	switch action := item.get("action"); action.text {
	case "allow":
		r.Action = Allow
	case "ask", "delegate":
		r.Action = Ask
	case "reject":
		r.Action = Deny
	default:
		return nil, action.errorf(source, "want one of allow, reject, ask, delegate")
	}
	for _, key := range item.keys {
		if !slices.Contains([]string{"tool", "action", "matches", "message", "to", "context"}, key) {
			return nil, item.errorf(source, "unknown key %.60q in a rule", key)
		}
	}
	if context := item.get("context"); context != nil {
		r.Narrowed = "context " + context.text
	}
	r.Text = item.get("action").text + " " + r.Tool
	matches := item.get("matches")
	if matches == nil {
		return []Rule{r}, nil
	}
	return ampMatches(r, matches), nil
}

// ampMatches makes a rule of each alternative of one argument; more than one argument, and what is
// no string, narrows the rule.
func ampMatches(r Rule, matches *node) []Rule {
	if matches.kind != isObject || len(matches.items) != 1 || !slices.Contains([]string{"cmd", "command", "path", "url"}, matches.keys[0]) {
		r.Narrowed = "matches of several or other arguments"
		r.Text += " " + r.Narrowed
		return []Rule{r}
	}
	values := []*node{matches.items[0]}
	if values[0].kind == isArray {
		values = values[0].items
	}
	var out []Rule
	for _, value := range values {
		alternative := r
		alternative.Text = fmt.Sprintf("%s %s=%s", r.Text, matches.keys[0], value.text)
		switch text := value.text; {
		case value.kind != isString:
			alternative.Narrowed = "a match of another type"
		case len(text) > 1 && strings.HasPrefix(text, "/") && strings.HasSuffix(text, "/"):
			alternative.Has, alternative.Regex, alternative.Pattern = true, true, text[1:len(text)-1]
		default:
			alternative.Has, alternative.Pattern = strings.Trim(text, "*") != "" || text == "", text
		}
		out = append(out, alternative)
	}
	return out
}

// matchAmp takes the first rule; a pattern is compared with the whole argument.
func matchAmp(parsed []Rule, call Call) Verdict {
	return firstMatch(parsed, func(r Rule) bool {
		if !ruleNames(Amp, r, call) {
			return false
		}
		if r.Regex {
			matched, err := regexp.MatchString(r.Pattern, call.Arg)
			return err != nil || matched
		}
		return !r.Has || globMatch(r.Pattern, call.Arg, 0)
	})
}
