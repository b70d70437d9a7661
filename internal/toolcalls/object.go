package toolcalls

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/internal/suggest"
)

const (
	defaultSeconds = 3600
	maxSeconds     = 30 * 24 * 3600 // spec LNG-36
)

// object is the policies object.
type object struct {
	fallback   plangate.Action
	fallbackAt *span // nil if default is left out
	tools      []tool
	seconds    int
	onExpire   string
}

// tool is an entry of byTool.
type tool struct {
	name   string
	action plangate.Action
	at     span // of the name
	value  span
}

// decode reads the object out of the text.
func (s *source) decode() object {
	out := object{fallback: plangate.Allow, seconds: defaultSeconds, onExpire: "deny"}
	root := s.read()
	if root == nil {
		return out
	}
	if root.isObject() && len(root.members) == 1 && root.members[0].name == "policies" {
		root = root.members[0].value
	}
	s.eachMember(root, "the policies object", map[string]func(*node){
		"toolCalls": func(n *node) { s.toolCalls(n, &out) },
		"decisions": func(n *node) { s.decisions(n, &out) },
	})
	return out
}

// eachMember calls the function of every member. Unknown keys are errors: a misspelt byTool
// would decide nothing.
func (s *source) eachMember(n *node, what string, known map[string]func(*node)) {
	if !n.isObject() {
		s.error("import_type", n.at, "Wrong type", "Write an object as "+what+".")
		return
	}
	var names []string
	for name := range known {
		names = append(names, name)
	}
	for _, m := range n.members {
		if read, ok := known[m.name]; ok {
			read(m.value)
			continue
		}
		s.error("import_key", m.at, "Unknown key",
			fmt.Sprintf("There is no key %.64q in %s.%s", m.name, what, suggest.DidYouMean(m.name, names)))
	}
}

func (s *source) toolCalls(n *node, out *object) {
	s.eachMember(n, "toolCalls", map[string]func(*node){
		"default": func(n *node) { out.fallback, out.fallbackAt = s.action(n), &n.at },
		"byTool":  func(n *node) { s.byTool(n, out) },
	})
}

func (s *source) byTool(n *node, out *object) {
	if !n.isObject() {
		s.error("import_type", n.at, "Wrong type", `Write an object as byTool: {"NAME": "deny"}.`)
		return
	}
	for _, m := range n.members {
		out.tools = append(out.tools, tool{m.name, s.action(m.value), m.at, m.value.at})
	}
}

// action is deny if the value is none.
func (s *source) action(n *node) plangate.Action {
	words := []string{"allow", "ask", "deny", "hook"}
	return plangate.Action(s.word(n, words, func(text string) int {
		action, err := plangate.ParseAction(text)
		if err != nil {
			return -1
		}
		return int(action)
	}))
}

// word reads one of a few words as a number; 0 after an error.
func (s *source) word(n *node, words []string, parse func(string) int) int {
	text, ok := n.token.(string)
	if value := parse(text); ok && value >= 0 {
		return value
	}
	detail := "Write one of " + strings.Join(words, ", ") + "."
	if ok {
		s.error("import_value", n.at, "Unknown word", detail+suggest.DidYouMean(text, words))
	} else {
		s.error("import_type", n.at, "Wrong type", detail)
	}
	return 0
}

func (s *source) decisions(n *node, out *object) {
	words := []string{"deny", "cancel_turn"}
	s.eachMember(n, "decisions", map[string]func(*node){
		"expiresInSeconds": func(n *node) { out.seconds = s.wait(n) },
		"onExpire": func(n *node) {
			out.onExpire = words[s.word(n, words, func(text string) int {
				for i, word := range words {
					if word == text {
						return i
					}
				}
				return -1
			})]
		},
	})
}

func (s *source) wait(n *node) int {
	number, ok := n.token.(json.Number)
	if !ok {
		s.error("import_type", n.at, "Wrong type", "Write a number of seconds.")
		return defaultSeconds
	}
	seconds, err := strconv.Atoi(number.String())
	switch {
	case err == nil && seconds > maxSeconds:
		s.warn("import_loss", n.at, "Approvals wait less long",
			"An approval cannot wait longer than 30 days here; it will expire after these.")
		return maxSeconds
	case err != nil || seconds <= 0:
		s.error("import_value", n.at, "Invalid time", "Write a whole number of seconds, 1 or more.")
		return defaultSeconds
	}
	return seconds
}
