package install

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MaxBytes bounds a configuration file.
const MaxBytes = 1 << 20

// maxDepth bounds the nesting of a configuration file.
const maxDepth = 200

// TextError says what is wrong with a text, and where.
type TextError struct {
	Line, Column int // from 1, in bytes
	What         string
}

// Error implements error.
func (e *TextError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.What)
}

// textError returns the error for an offset.
func textError(text []byte, at int, format string, args ...any) error {
	at = min(at, len(text))
	before := text[:at]
	return &TextError{
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: at - bytes.LastIndexByte(before, '\n'),
		What:   fmt.Sprintf(format, args...),
	}
}

// dialect says what stands in a JSON text besides JSON.
type dialect uint8

const (
	strict   dialect = iota
	comments         // with comments and commas after the last element
)

// node is a value in a text.
type node struct {
	open       byte // '{', '[' or 0 for a scalar
	start, end int
	elems      []elem
}

// elem is an element of a list or a member of an object.
type elem struct {
	start int // of the key or the value
	key   string
	value *node
	comma int // offset of the comma after it, -1 if there is none
}

func (e *elem) end() int { return e.value.end }

// get returns a member of an object, nil if it is not there.
func (n *node) get(key string) *node {
	if n == nil || n.open != '{' {
		return nil
	}
	for i := range n.elems {
		if n.elems[i].key == key {
			return n.elems[i].value
		}
	}
	return nil
}

// parser reads JSON and keeps the offsets.
type parser struct {
	text    []byte
	at      int
	dialect dialect
}

var bom = []byte("\xef\xbb\xbf")

// parseJSON parses a text. It returns nil for one that holds nothing but white space and
// comments.
func parseJSON(text []byte, d dialect) (*node, error) {
	if len(text) > MaxBytes {
		return nil, textError(text, 0, "the file is larger than %d bytes", MaxBytes)
	}
	p := &parser{text: text, dialect: d}
	if bytes.HasPrefix(text, bom) {
		p.at = len(bom)
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.at == len(text) {
		return nil, nil
	}
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.at != len(text) {
		return nil, p.fail("there is more after the end of the value")
	}
	return root, nil
}

func (p *parser) fail(format string, args ...any) error {
	return textError(p.text, p.at, format, args...)
}

// peek returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// space skips white space, and comments if there may be any.
func (p *parser) space() error {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.at++
		case c == '/' && p.dialect == comments:
			end := commentEnd(p.text, p.at)
			if end < 0 {
				return p.fail("a comment is not closed, or this is none")
			}
			p.at = end
		case c == '/':
			return p.fail("a comment, which JSON does not have")
		default:
			return nil
		}
	}
	return nil
}

// commentEnd returns where a comment ends, before the line end for one that the line
// ends; -1 if there is no whole comment.
func commentEnd(text []byte, at int) int {
	rest := text[at:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
			return at + i
		}
		return len(text)
	case bytes.HasPrefix(rest, []byte("/*")):
		if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
			return at + 2 + i + 2
		}
	}
	return -1
}

func (p *parser) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, p.fail("nested deeper than %d", maxDepth)
	}
	switch c := p.peek(); c {
	case '{', '[':
		return p.container(c, depth)
	case '"':
		return p.scalar(stringEnd(p.text, p.at))
	default:
		end := p.at
		for end < len(p.text) && !bytes.ContainsRune([]byte(" \t\r\n,:/{}[]\""), rune(p.text[end])) {
			end++
		}
		return p.scalar(end)
	}
}

// stringEnd returns the offset after the string's closing quote, or the text's end.
func stringEnd(text []byte, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return i
		}
	}
	return len(text)
}

func (p *parser) scalar(end int) (*node, error) {
	if !json.Valid(p.text[p.at:end]) {
		return nil, p.fail("not a JSON value")
	}
	n := &node{start: p.at, end: end}
	p.at = end
	return n, nil
}

func (p *parser) container(open byte, depth int) (*node, error) {
	n := &node{open: open, start: p.at}
	closing := open + 2 // ']' and '}' follow their opening ones by two
	p.at++
	for {
		if err := p.space(); err != nil {
			return nil, err
		}
		if p.peek() == closing && (p.dialect == comments || len(n.elems) == 0) {
			break
		}
		e, err := p.element(open, depth)
		if err != nil {
			return nil, err
		}
		if err := p.space(); err != nil {
			return nil, err
		}
		if p.peek() == ',' {
			e.comma = p.at
			p.at++
		}
		n.elems = append(n.elems, e)
		if e.comma < 0 {
			break
		}
	}
	if p.peek() != closing {
		return nil, p.fail("a comma or %q is missing", closing)
	}
	p.at++
	n.end = p.at
	return n, nil
}

func (p *parser) element(open byte, depth int) (elem, error) {
	e := elem{start: p.at, comma: -1}
	if open == '{' {
		if p.peek() != '"' {
			return e, p.fail("the name of a member is missing, or not in double quotes")
		}
		key, err := p.scalar(stringEnd(p.text, p.at))
		if err != nil {
			return e, err
		}
		if err := json.Unmarshal(p.text[key.start:key.end], &e.key); err != nil {
			return e, p.fail("not a string")
		}
		if err := p.space(); err != nil {
			return e, err
		}
		if p.peek() != ':' {
			return e, p.fail("a colon is missing")
		}
		p.at++
		if err := p.space(); err != nil {
			return e, err
		}
	}
	var err error
	e.value, err = p.value(depth + 1)
	return e, err
}

// decode returns a value as encoding/json would, with numbers as they are written.
func decode(text []byte, n *node) any {
	if n == nil {
		return nil
	}
	switch n.open {
	case '{':
		object := map[string]any{}
		for _, e := range n.elems {
			object[e.key] = decode(text, e.value)
		}
		return object
	case '[':
		list := []any{}
		for _, e := range n.elems {
			list = append(list, decode(text, e.value))
		}
		return list
	}
	decoder := json.NewDecoder(bytes.NewReader(text[n.start:n.end]))
	decoder.UseNumber()
	var value any
	_ = decoder.Decode(&value) // the parser has seen that it is valid
	return value
}
