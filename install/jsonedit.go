package install

import (
	"bytes"
	"encoding/json"
	"strings"
)

// member is a member of an object that is to be written, in order.
type member struct {
	key   string
	value any // what encoding/json writes, members or []members
}

type members []member

// MarshalJSON implements [json.Marshaler].
func (m members) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, one := range m {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(compact(one.key))
		out.WriteByte(':')
		out.Write(compact(one.value))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// compact writes a value in one line. Characters that mean something in HTML stay.
func compact(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return []byte("null") // cannot be: the values are ours
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// style is how a text is laid out.
type style struct {
	newline string
	unit    string // one step of indentation
	flat    bool   // all in one line
}

// styleOf reads the style from a text.
func styleOf(text []byte, root *node) style {
	s := style{newline: "\n", unit: "  "}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		s.newline = "\r\n"
	}
	if root == nil {
		return s
	}
	if len(root.elems) == 0 {
		return s
	}
	if first := root.elems[0]; ownLine(text, first.start) {
		if unit := indentAt(text, first.start); unit != "" {
			s.unit = unit
		}
	} else if !bytes.Contains(text[root.start:root.end], []byte("\n")) {
		s.flat = true
	}
	return s
}

// lineStart returns where the line of an offset begins.
func lineStart(text []byte, at int) int { return bytes.LastIndexAny(text[:at], "\r\n") + 1 }

// indentAt returns the white space at the beginning of the offset's line.
func indentAt(text []byte, at int) string {
	line := text[lineStart(text, at):]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// ownLine reports whether nothing but white space stands before an offset in its line,
// and whether there is a line before.
func ownLine(text []byte, at int) bool {
	start := lineStart(text, at)
	return start > 0 && len(bytes.Trim(text[start:at], " \t")) == 0
}

// render writes a value for a place whose line is indented by indent.
func (s style) render(value any, indent string) string {
	text := compact(value)
	if s.flat {
		return string(text)
	}
	var out bytes.Buffer
	if json.Indent(&out, text, indent, s.unit) != nil {
		return string(text)
	}
	return strings.ReplaceAll(out.String(), "\n", s.newline)
}

// splice replaces a span.
func splice(text []byte, start, end int, with string) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:start]...)
	out = append(out, with...)
	return append(out, text[end:]...)
}

// addition is an element that is to be put into a container.
type addition struct {
	key   string // of a member
	value any
	first bool // before all others
}

// add puts an element into a container.
func (s style) add(text []byte, into *node, a addition) []byte {
	if len(into.elems) == 0 {
		return s.addToEmpty(text, into, a)
	}
	first, last := into.elems[0], into.elems[len(into.elems)-1]
	inLines := ownLine(text, first.start)
	here := s
	here.flat = !inLines
	indent := indentAt(text, first.start)
	element := here.element(a, into, indent)
	between := " "
	if inLines {
		between = s.newline + indent
	} else if !spaced(text, into) {
		between = ""
	}
	if a.first {
		if inLines {
			return splice(text, into.start+1, into.start+1, between+element+",")
		}
		return splice(text, first.start, first.start, element+","+between)
	}
	if last.comma >= 0 {
		at := last.comma + 1
		if inLines {
			at = sameLine(text, at)
		}
		return splice(text, at, at, between+element+",")
	}
	at := last.end()
	if inLines {
		at = sameLine(text, at)
	}
	text = splice(text, at, at, between+element)
	return splice(text, last.end(), last.end(), ",")
}

// spaced reports whether a text in one line has blanks after its commas and colons.
func spaced(text []byte, n *node) bool {
	return bytes.Contains(text[n.start:n.end], []byte(", ")) || bytes.Contains(text[n.start:n.end], []byte(": "))
}

func (s style) addToEmpty(text []byte, into *node, a addition) []byte {
	inner := text[into.start+1 : into.end-1]
	if s.flat {
		return splice(text, into.end-1, into.end-1, s.element(a, into, ""))
	}
	outer := indentAt(text, into.start)
	body := s.newline + outer + s.unit + s.element(a, into, outer+s.unit) + s.newline + outer
	if kept := bytes.TrimRight(inner, " \t\r\n"); len(kept) > 0 { // comments
		return splice(text, into.start+1+len(kept), into.end-1, body)
	}
	return splice(text, into.start+1, into.end-1, body)
}

func (s style) element(a addition, into *node, indent string) string {
	value := s.render(a.value, indent)
	if into.open != '{' {
		return value
	}
	colon := ": "
	if s.flat {
		colon = ":"
	}
	return string(compact(a.key)) + colon + value
}

// sameLine returns the offset after blanks and comments that end in the line of an offset.
func sameLine(text []byte, at int) int {
	end := at
	for end < len(text) {
		switch text[end] {
		case ' ', '\t':
			end++
		case '/':
			next := commentEnd(text, end)
			if next < 0 || bytes.ContainsAny(text[end:next], "\r\n") {
				return at
			}
			end, at = next, next
		default:
			return at
		}
	}
	return at
}

// drop takes an element out of a container, with the comma and the white space that
// belong to it. Comments stay.
func drop(text []byte, from *node, index int) []byte {
	e := from.elems[index]
	start, end, comma := e.start, e.end(), e.comma
	for start > from.start+1 && isSpace(text[start-1]) {
		start--
	}
	if comma >= 0 && len(bytes.TrimSpace(text[end:comma])) == 0 {
		end, comma = comma+1, -1
	}
	switch {
	case lineComment(text, from, start): // its line end must stay
		start = lineStart(text, e.start)
		if next := skipBlanks(text, end); next < len(text) && (text[next] == '\n' || text[next] == '\r') {
			end = next + 1
			if text[next] == '\r' && next+1 < len(text) && text[next+1] == '\n' {
				end++
			}
		}
	case len(from.elems) == 1 && start == from.start+1 && len(bytes.TrimSpace(text[end:from.end-1])) == 0:
		end = from.end - 1
	case index == 0 && !ownLine(text, e.start):
		end = skipBlanks(text, end)
		start = e.start
	}
	if comma >= 0 {
		text = splice(text, comma, comma+1, "")
	}
	text = splice(text, start, end, "")
	if e.comma < 0 && index > 0 {
		before := from.elems[index-1].comma
		text = splice(text, before, before+1, "")
	}
	return text
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// skipBlanks returns the offset of the next byte that is neither a blank nor a tab.
func skipBlanks(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// lineComment reports whether what stands before an offset is a comment that the line ends.
func lineComment(text []byte, in *node, at int) bool {
	for i := in.start + 1; i < at; {
		switch text[i] {
		case '"':
			i = stringEnd(text, i)
		case '/':
			end := commentEnd(text, i)
			if end < 0 {
				return false
			}
			if end == at && text[i+1] == '/' {
				return true
			}
			i = end
		default:
			i++
		}
	}
	return false
}
