package toolcalls

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apparentlymart/go-textseg/v15/textseg"

	"github.com/plangate/plangate"
)

const maxFindings = 100 // of each severity: warnings must not crowd out an error

// source is the JSON text with what was found in it.
type source struct {
	file  string
	text  []byte
	diags plangate.Diagnostics
	count [2]int // by severity
}

// span is a piece of the text, in bytes.
type span struct{ start, end int }

// node is a JSON value with its place. Members keep their order.
type node struct {
	token   json.Token // of a scalar; the opening bracket of an object or array
	members []member   // of an object
	at      span
}

type member struct {
	name  string
	at    span
	value *node
}

func (n *node) isObject() bool { return n.token == json.Delim('{') }

func (s *source) add(severity plangate.Severity, code string, at span, words ...string) {
	if s.count[severity]++; s.count[severity] > maxFindings {
		return
	}
	s.diags = append(s.diags, &plangate.Diagnostic{
		Severity: severity, Code: code, Range: s.rangeOf(at),
		Summary: words[0], Detail: strings.Join(words[1:], " "),
	})
}

func (s *source) error(code string, at span, summary, detail string) {
	s.add(plangate.SeverityError, code, at, summary, detail)
}

func (s *source) warn(code string, at span, summary, detail string) {
	s.add(plangate.SeverityWarning, code, at, summary, detail)
}

// errors returns the errors alone: what a text would lose that cannot be converted is of no use.
func (s *source) errors() plangate.Diagnostics {
	s.diags = slices.DeleteFunc(s.diags, func(d *plangate.Diagnostic) bool { return d.Severity != plangate.SeverityError })
	s.diags.Sort()
	return s.diags
}

func (s *source) rangeOf(at span) plangate.Range {
	return plangate.Range{File: s.file, Start: s.pos(at.start), End: s.pos(at.end)}
}

func (s *source) pos(offset int) plangate.Pos {
	before := s.text[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	columns, err := textseg.TokenCount(before[start:], textseg.ScanGraphemeClusters)
	if err != nil {
		columns = offset - start
	}
	return plangate.Pos{Line: bytes.Count(before, []byte("\n")) + 1, Column: columns + 1, Byte: offset}
}

// read returns the value of the text, or nil after an error. It is as strict as
// [plangate.CheckJSON], and says where.
func (s *source) read() *node {
	if at := s.badByte(); at >= 0 {
		s.error("import_json", span{at, min(at+1, len(s.text))}, "Invalid JSON", "This is not UTF-8 text without a byte order mark.")
		return nil
	}
	if len(s.text) > plangate.MaxJSONBytes {
		s.text = nil // no place in it would be worth showing
		s.error("import_json", span{}, "Invalid JSON", fmt.Sprintf("The text is longer than %d bytes.", plangate.MaxJSONBytes))
		return nil
	}
	r := &reader{source: s, decoder: json.NewDecoder(bytes.NewReader(s.text))}
	r.decoder.UseNumber()
	root, err := r.value(0)
	if err == nil && len(bytes.TrimSpace(s.text[r.offset():])) > 0 {
		err = errors.New("there is text after the value")
	}
	if err != nil {
		at := r.next()
		s.error("import_json", span{at, min(at+1, len(s.text))}, "Invalid JSON",
			fmt.Sprintf("At or behind this place, %s.", jsonReason(err)))
		return nil
	}
	if at := plangate.HalfSurrogate(s.text); at >= 0 {
		s.error("import_json", span{at, at + 6}, "Invalid JSON", "This escape is half a surrogate pair.")
		return nil
	}
	if err := plangate.CheckJSON(s.text); err != nil && !s.diags.HasErrors() {
		s.error("import_json", span{0, 0}, "Invalid JSON", err.Error()+".")
	}
	return root
}

// badByte returns the offset of the first byte that is no text, or -1.
func (s *source) badByte() int {
	if bytes.HasPrefix(s.text, []byte("\ufeff")) {
		return 0
	}
	for i := 0; i < len(s.text); {
		r, size := utf8.DecodeRune(s.text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func jsonReason(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the text ends in the middle of a value"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

type reader struct {
	*source
	decoder *json.Decoder
}

func (r *reader) offset() int { return int(r.decoder.InputOffset()) }

// next is where the next token begins.
func (r *reader) next() int {
	return len(r.text) - len(bytes.TrimLeft(r.text[r.offset():], " \t\r\n,:"))
}

func (r *reader) value(depth int) (*node, error) {
	if depth > plangate.MaxJSONDepth {
		return nil, fmt.Errorf("it is nested deeper than %d", plangate.MaxJSONDepth)
	}
	start := r.next()
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	n := &node{token: token}
	switch token {
	case json.Delim('{'):
		err = r.members(n, depth)
	case json.Delim('['):
		err = r.skipArray(depth)
	}
	n.at = span{start, r.offset()}
	return n, err
}

func (r *reader) members(n *node, depth int) error {
	seen := map[string]bool{}
	for r.decoder.More() {
		start := r.next()
		token, err := r.decoder.Token()
		if err != nil {
			return err
		}
		m := member{at: span{start, r.offset()}}
		m.name, _ = token.(string) // the decoder lets nothing else be a key
		if seen[m.name] {
			r.error("import_json", m.at, "Key stands twice", "Which of the two counts depends on the reader. Remove one.")
		}
		seen[m.name] = true
		if m.value, err = r.value(depth + 1); err != nil {
			return err
		}
		n.members = append(n.members, m)
	}
	_, err := r.decoder.Token()
	return err
}

// skipArray reads an array, of which nothing is wanted.
func (r *reader) skipArray(depth int) error {
	for r.decoder.More() {
		if _, err := r.value(depth + 1); err != nil {
			return err
		}
	}
	_, err := r.decoder.Token()
	return err
}
