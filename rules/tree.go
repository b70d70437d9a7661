package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plangate/plangate"
)

// nodeKind is what a JSON value is.
type nodeKind uint8

const (
	isOther nodeKind = iota // number, true, false, null
	isString
	isArray
	isObject
)

// node is a JSON value with its line; the order of an object is kept, because in some CLIs it
// decides.
type node struct {
	kind  nodeKind
	text  string // of a string; else the literal
	line  int
	items []*node
	keys  []string // of an object, beside items
}

func (n *node) get(key string) *node {
	if n == nil || n.kind != isObject {
		return nil
	}
	for i, k := range n.keys {
		if k == key {
			return n.items[i]
		}
	}
	return nil
}

// unread returns a rule of action None for each key but those given.
func (n *node) unread(read ...string) (out []Rule) {
	for i, key := range n.keys {
		if !slices.Contains(read, key) {
			out = append(out, Rule{Text: strings.TrimSpace(key + " " + n.items[i].text), Line: n.items[i].line})
		}
	}
	return out
}

// named returns a rule of action None for each of some keys that is there.
func (n *node) named(keys ...string) (out []Rule) {
	for _, key := range keys {
		if value := n.get(key); value != nil {
			out = append(out, Rule{Text: key, Line: value.line})
		}
	}
	return out
}

func (n *node) errorf(source Source, format string, args ...any) error {
	return &Error{File: source.Name, Line: n.line, Code: CodeValue, Message: fmt.Sprintf(format, args...)}
}

// readTree reads one JSON object, with comments and commas at ends if the CLI takes them.
func readTree(source Source, lenient bool) (*node, error) {
	text := bytes.TrimPrefix(source.Text, []byte("\ufeff"))
	if lenient {
		text = plainJSON(text)
	}
	if err := plangate.CheckJSON(text); err != nil {
		return nil, &Error{File: source.Name, Line: lineOfError(text), Code: CodeSyntax, Message: err.Error()}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	r := &treeReader{decoder: decoder, text: text, line: 1}
	root, err := r.value()
	if err != nil {
		return nil, &Error{File: source.Name, Code: CodeSyntax, Message: err.Error()}
	}
	if root.kind != isObject {
		return nil, &Error{File: source.Name, Line: 1, Code: CodeSyntax, Message: "want a JSON object"}
	}
	return root, nil
}

// lineOfError returns the line of a syntax error, or 0 if the error is of another sort.
func lineOfError(text []byte) int {
	var probe any
	err := json.Unmarshal(text, &probe)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
	}
	return 0
}

// treeReader builds nodes from tokens. CheckJSON has bounded the depth.
type treeReader struct {
	decoder *json.Decoder
	text    []byte
	offset  int
	line    int
}

// at returns the line of the token that was just read.
func (r *treeReader) at() int {
	end := int(r.decoder.InputOffset())
	r.line += bytes.Count(r.text[r.offset:end], []byte("\n"))
	r.offset = end
	return r.line
}

func (r *treeReader) value() (*node, error) {
	token, err := r.decoder.Token()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	n := &node{line: r.at()}
	switch token := token.(type) {
	case string:
		n.kind, n.text = isString, token
	case json.Delim:
		n.kind = isArray
		if token == '{' {
			n.kind = isObject
		}
		return n, r.fill(n)
	default:
		n.text = fmt.Sprint(token)
	}
	return n, nil
}

func (r *treeReader) fill(n *node) error {
	for r.decoder.More() {
		if n.kind == isObject {
			key, err := r.decoder.Token()
			if err != nil {
				return err
			}
			n.keys = append(n.keys, fmt.Sprint(key))
		}
		item, err := r.value()
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := r.decoder.Token()
	r.at()
	return err
}

// plainJSON blanks comments and the commas before a closing bracket; lines stay.
func plainJSON(text []byte) []byte {
	out := bytes.Clone(text)
	comma := -1
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = endOfString(out, i)
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blankComment(out, i)
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out
}

func endOfString(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

func blankComment(out []byte, i int) (last int) {
	end := len(out)
	if out[i+1] == '/' {
		if n := bytes.IndexByte(out[i:], '\n'); n >= 0 {
			end = i + n
		}
	} else if n := bytes.Index(out[i+2:], []byte("*/")); n >= 0 {
		end = i + 2 + n + 2
	} else {
		return i + 1 // an open comment stays and is an error
	}
	for ; i < end; i++ {
		if out[i] != '\n' {
			out[i] = ' '
		}
	}
	return end - 1
}
