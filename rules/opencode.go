package rules

import (
	"fmt"
	"slices"
	"strings"
)

// parseOpenCode reads the key permission of opencode.json (facts §5.1): an action, or an object
// of tool and action or of tool and an object of pattern and action. The last that matches wins,
// so the rules come in the opposite order.
func parseOpenCode(source Source) ([]Rule, error) {
	root, err := readTree(source, true)
	if err != nil {
		return nil, err
	}
	permission := root.get("permission")
	out := root.named("agent", "mode", "tools", "permissions")
	if permission == nil {
		return out, nil
	}
	if permission.kind == isString {
		action, err := openCodeAction(source, permission)
		return append(out, Rule{Action: action, Tool: "*", Text: "permission " + permission.text, Line: permission.line}), err
	}
	if permission.kind != isObject {
		return nil, permission.errorf(source, "permission is an action or an object")
	}
	for i, key := range permission.keys {
		value := permission.items[i]
		if value.kind != isObject {
			action, err := openCodeAction(source, value)
			if err != nil {
				return nil, err
			}
			out = append(out, Rule{Action: action, Tool: key, Text: fmt.Sprintf("%s: %s", key, value.text), Line: value.line})
			continue
		}
		for j, pattern := range value.keys {
			action, err := openCodeAction(source, value.items[j])
			if err != nil {
				return nil, err
			}
			out = append(out, Rule{Action: action, Tool: key, Pattern: pattern, Has: strings.Trim(pattern, "*") != "" || pattern == "",
				Text: fmt.Sprintf("%s %s: %s", key, pattern, value.items[j].text), Line: value.items[j].line})
		}
	}
	slices.Reverse(out)
	return out, nil
}

func openCodeAction(source Source, n *node) (Verdict, error) {
	if n.kind == isString {
		switch n.text {
		case "allow":
			return Allow, nil
		case "ask":
			return Ask, nil
		case "deny":
			return Deny, nil
		}
	}
	return None, n.errorf(source, "want one of allow, ask, deny")
}

// matchOpenCode takes the first rule for each part of a command and the strictest of those
// (facts §5.1). Paths are compared from the workspace where they are in it.
func matchOpenCode(parsed []Rule, call Call) Verdict {
	parts := []string{call.Arg}
	if call.Server == "" && call.Tool == "bash" {
		parts = shellParts(call.Arg)
	}
	verdict := None
	for i, part := range parts {
		this := firstMatch(parsed, func(r Rule) bool {
			return ruleNames(OpenCode, r, call) && (!r.Has || call.Server == "" && openCodePattern(r.Pattern, part, call))
		})
		if i == 0 || this == None {
			verdict = this
		} else if verdict != None {
			verdict = stricter(verdict, this)
		}
		if this == None {
			return None
		}
	}
	return verdict
}

func firstMatch(parsed []Rule, matches func(Rule) bool) Verdict {
	i := slices.IndexFunc(parsed, func(r Rule) bool { return r.Action != None && matches(r) })
	if i < 0 {
		return None
	}
	return parsed[i].Action
}

func openCodePattern(pattern, text string, call Call) bool {
	if call.Tool == "read" || call.Tool == "edit" {
		text = strings.TrimPrefix(text, call.Workspace+"/")
		pattern = strings.TrimPrefix(pattern, "./")
		if home, ok := strings.CutPrefix(pattern, "~/"); ok {
			pattern = call.Home + "/" + home
		}
	}
	return globMatch(pattern, text, '?') || strings.HasSuffix(pattern, " *") && text == strings.TrimSuffix(pattern, " *")
}

// ruleNames reports whether a rule is about a call's tool.
func ruleNames(cli CLI, r Rule, call Call) bool {
	name := call.Tool
	switch cli {
	case OpenCode:
		if call.Server != "" {
			name = call.Server + "_" + call.Tool
		}
		return globMatch(r.Tool, name, '?')
	case Amp:
		if call.Server != "" {
			name = "mcp__" + call.Server + "__" + call.Tool
		}
		if r.Tool == "Bash" && (name == "shell_command" || name == "async_shell_command") {
			return true
		}
		return globMatch(r.Tool, name, 0)
	case Gemini:
		if r.Server != "" {
			return call.Server != "" && globMatch(r.Server, call.Server, 0) && (r.Tool == "" || globMatch(r.Tool, call.Tool, 0))
		}
		if call.Server != "" {
			name = "mcp_" + call.Server + "_" + call.Tool
		}
		return r.Tool == "" || globMatch(r.Tool, name, 0)
	case Claude, Codex, Copilot:
	}
	return r.Tool == name
}
