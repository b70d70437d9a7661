package rules

import (
	"slices"
	"strings"
)

// copilotKinds are the words that mean the CLI's own tools. What a server of such a name gets is
// not known, so no rule is written for one.
var copilotKinds = []string{"shell", "write", "read", "url", "memory"}

// parseCopilot reads flags, one a line, as [Export] writes them: --allow-tool=KIND(ARG) and
// --deny-tool (facts §7.2). Quotes of a shell around the value are taken off.
func parseCopilot(source Source) ([]Rule, error) {
	var out []Rule
	line := 0
	for text := range strings.Lines(string(source.Text)) {
		line++
		text = strings.TrimSuffix(strings.TrimSpace(text), " \\")
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		flag, value, _ := strings.Cut(text, "=")
		r := Rule{Line: line, Text: text}
		switch flag {
		case "--allow-tool":
			r.Action = Allow
		case "--deny-tool":
			r.Action = Deny
		default:
			return nil, &Error{source.Name, line, CodeValue, "want --allow-tool=… or --deny-tool=…"}
		}
		name, spec, has, err := readRuleString(strings.Trim(value, "'"))
		if err != nil {
			return nil, &Error{source.Name, line, CodeSyntax, err.Error()}
		}
		r.Tool, r.Pattern, r.Has = name, spec, has && spec != ""
		out = append(out, r)
	}
	return out, nil
}

// matchCopilot is deny before allow; git and gh are judged by their first subcommand.
func matchCopilot(parsed []Rule, call Call) Verdict {
	verdict := None
	for _, r := range parsed {
		if copilotMatches(r, call) {
			verdict = stricter(verdict, r.Action)
		}
	}
	return verdict
}

func copilotMatches(r Rule, call Call) bool {
	if call.Server != "" {
		return r.Tool == call.Server && !slices.Contains(copilotKinds, r.Tool) && (!r.Has || r.Pattern == call.Tool)
	}
	if r.Tool != call.Tool {
		return false
	}
	if !r.Has {
		return true
	}
	switch call.Tool {
	case "shell":
		for _, part := range shellParts(call.Arg) {
			stem, open := strings.CutSuffix(r.Pattern, ":*")
			if part == stem || open && strings.HasPrefix(part, stem+" ") {
				return true
			}
		}
	case "read", "write":
		return call.Arg == r.Pattern || !strings.HasPrefix(r.Pattern, "/") && strings.HasSuffix(call.Arg, "/"+r.Pattern)
	case "url":
		return hostMatches(r.Pattern, call.Arg)
	}
	return false
}
