package audit

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Mask returns an input with its secrets replaced by [Placeholder], as compact
// JSON in printable ASCII, and whether there were any. Secrets are the values
// that the JSON pointers in sensitive lead to (RFC 6901; "*" stands for every
// element or member), values under names that say so, and whatever [MaskText]
// finds in a string. Order and doubled keys stay as they are. Text that is not
// JSON becomes a JSON string, which is the placeholder if there are pointers, since
// they lead nowhere; nested deeper than 10000 it is no JSON either.
// It takes time linear in the length of the input.
func Mask(input json.RawMessage, sensitive []string) (masked json.RawMessage, found bool) {
	root, err := parseTree(input)
	if err != nil && len(sensitive) > 0 {
		return json.RawMessage(`"` + Placeholder + `"`), true
	}
	if err != nil {
		text, _ := MaskText(validText(string(input)))
		line, _ := encode(text)
		return line, text != string(input)
	}
	m := masker{}
	for _, pointer := range sensitive {
		m.pointed(root, pointer)
	}
	m.walk(root)
	return root.appendTo(nil), m.found
}

// node is a JSON value. Exactly one of its forms is used.
type node struct {
	kind   byte // '{', '[', '"', or 0 for a number, true, false and null
	text   string
	keys   []string
	values []*node
}

func parseTree(input []byte) (*node, error) {
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	root, err := readNode(decoder)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errTrailing
	}
	return root, nil
}

var errTrailing = io.ErrUnexpectedEOF

// readNode reads one value without recursion.
func readNode(decoder *json.Decoder) (*node, error) {
	var open []*node
	var key *string
	for {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		if text, ok := token.(string); ok && key == nil && len(open) > 0 && open[len(open)-1].kind == '{' {
			key = &text
			continue
		}
		if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
			done := open[len(open)-1]
			if open = open[:len(open)-1]; len(open) == 0 {
				return done, nil
			}
			continue
		}
		value := leaf(token)
		if len(open) > 0 {
			top := open[len(open)-1]
			if key != nil {
				top.keys = append(top.keys, *key)
				key = nil
			}
			top.values = append(top.values, value)
		}
		if value.kind == '{' || value.kind == '[' {
			open = append(open, value)
		} else if len(open) == 0 {
			return value, nil
		}
	}
}

func leaf(token json.Token) *node {
	switch token := token.(type) {
	case json.Delim:
		return &node{kind: byte(token)}
	case string:
		return &node{kind: '"', text: token}
	case json.Number:
		return &node{text: token.String()}
	case bool:
		if token {
			return &node{text: "true"}
		}
		return &node{text: "false"}
	default:
		return &node{text: "null"}
	}
}

func (n *node) appendTo(out []byte) []byte {
	switch n.kind {
	case '{':
		out = append(out, '{')
		for i, value := range n.values {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, n.keys[i]), ':')
			out = value.appendTo(out)
		}
		return append(out, '}')
	case '[':
		out = append(out, '[')
		for i, value := range n.values {
			if i > 0 {
				out = append(out, ',')
			}
			out = value.appendTo(out)
		}
		return append(out, ']')
	case '"':
		return appendString(out, n.text)
	default:
		return append(out, n.text...)
	}
}

func appendString(out []byte, text string) []byte {
	line, _ := encode(text) // a string always has JSON
	return append(out, line...)
}

// masker masks a tree in place.
type masker struct{ found bool }

// hide replaces a value unless there is nothing to hide.
func (m *masker) hide(n *node) {
	switch {
	case n.kind == 0 && !strings.ContainsAny(n.text, "0123456789"), n.kind != 0 && n.text == "" && len(n.values) == 0:
		return // null, true, false, and what is empty
	case n.kind == '"' && n.text == Placeholder:
		return
	}
	*n = node{kind: '"', text: Placeholder}
	m.found = true
}

// pointed hides what a JSON pointer leads to.
func (m *masker) pointed(root *node, pointer string) {
	nodes := []*node{root}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		part = unescapePointer(part)
		var next []*node
		for _, n := range nodes {
			next = append(next, n.children(part)...)
		}
		nodes = next
	}
	for _, n := range nodes {
		// A flag under a pointer can be a secret too.
		if n.kind != 0 || n.text != "null" {
			*n = node{kind: '"', text: Placeholder}
			m.found = true
		}
	}
}

// children returns the members or elements with a name.
func (n *node) children(name string) []*node {
	if name == "*" {
		return n.values
	}
	var found []*node
	for i, value := range n.values {
		if n.kind == '{' && n.keys[i] == name || n.kind == '[' && name == strconv.Itoa(i) {
			found = append(found, value)
		}
	}
	return found
}

// walk masks what is recognised in a value.
func (m *masker) walk(n *node) {
	switch n.kind {
	case '"':
		text, found := MaskText(n.text)
		n.text, m.found = text, m.found || found
	case '[':
		m.arguments(n.values)
		for _, value := range n.values {
			m.walk(value)
		}
	case '{':
		m.object(n)
	}
}

// object masks members by their names, and the value of a pair of members that
// are a name and a value.
func (m *masker) object(n *node) {
	named := harmless
	for i, key := range n.keys {
		switch strings.ToLower(key) {
		case "name", "key", "header", "variable", "env":
			if n.values[i].kind == '"' {
				named = max(named, secrecyOf(n.values[i].text))
			}
		}
	}
	pair := slices.ContainsFunc(n.keys, func(key string) bool { return strings.EqualFold(key, "value") })
	for i, key := range n.keys {
		value := n.values[i]
		masked, found := MaskText(key)
		n.keys[i], m.found = masked, m.found || found
		isValue := strings.EqualFold(key, "value")
		switch {
		case isValue && named >= weakName:
			m.hide(value)
		case pair && strings.EqualFold(key, "key") && value.kind == '"':
			m.walk(value) // the name of the pair
		case secrecyOf(key) > harmless:
			m.hide(value)
		}
		m.walk(value)
	}
}

// arguments masks secrets in a list of arguments, where an option and its value
// are elements of their own.
func (m *masker) arguments(list []*node) {
	var text strings.Builder
	var words []span
	var from []*node
	for i, n := range list {
		if n.kind != '"' {
			return
		}
		if i > 0 && isSecretFlag(list[i-1].text) && !strings.HasPrefix(n.text, "-") {
			m.hide(n)
		}
		words = append(words, span{text.Len(), text.Len() + len(n.text)})
		from = append(from, n)
		text.WriteString(n.text)
	}
	s := scan{text: text.String()}
	s.programs(words)
	i := 0
	for _, found := range s.spans { // in order, each within one word
		for words[i].end < found.end {
			i++
		}
		n, begin := from[i], found.begin-words[i].begin
		n.text = n.text[:begin] + Placeholder + n.text[begin+found.end-found.begin:]
		m.found = true
	}
}

// isSecretFlag reports whether the next argument is a secret.
func isSecretFlag(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return name != arg && !strings.ContainsAny(name, "= :\n") && !strings.HasPrefix(name, "no-") && secrecyOf(name) > harmless
}
