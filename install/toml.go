package install

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// statement is a header or a key with its value in a TOML text. Only what is needed to
// find and edit a few keys is read, but a text that cannot be followed is an error.
type statement struct {
	start, end int      // end is after the line's end
	header     bool     // a table's
	path       []string // in full, with the table's
	value      string   // as it is written, "" for a header
	valueAt    int
}

// parseTOML reads the statements of a text.
func parseTOML(text []byte) ([]statement, error) {
	if len(text) > MaxBytes {
		return nil, textError(text, 0, "the file is larger than %d bytes", MaxBytes)
	}
	p := &tomlParser{text: text}
	if bytes.HasPrefix(text, bom) {
		p.at = len(bom)
	}
	var all []statement
	var table []string
	for {
		p.skip(true)
		if p.at == len(text) {
			return all, nil
		}
		s, err := p.statement(table)
		if err != nil {
			return nil, err
		}
		if s.header {
			table = s.path
		}
		all = append(all, s)
	}
}

type tomlParser struct {
	text []byte
	at   int
}

func (p *tomlParser) fail(what string) error { return textError(p.text, p.at, "%s", what) }

// skip skips blanks and comments, and line ends too if lines is true.
func (p *tomlParser) skip(lines bool) {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' && lines:
			p.at++
		case c == '#':
			for p.at < len(p.text) && p.text[p.at] != '\n' {
				p.at++
			}
		default:
			return
		}
	}
}

func (p *tomlParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *tomlParser) statement(table []string) (statement, error) {
	s := statement{start: p.at}
	brackets := 0
	for p.peek() == '[' && brackets < 2 {
		brackets++
		p.at++
	}
	path, err := p.key()
	if err != nil {
		return s, err
	}
	if s.header = brackets > 0; s.header {
		s.path = path
		for range brackets {
			if p.peek() != ']' {
				return s, p.fail("a table's name is not closed")
			}
			p.at++
		}
	} else {
		s.path = append(slices.Clip(table), path...)
		if p.peek() != '=' {
			return s, p.fail("an equals sign is missing")
		}
		p.at++
		p.skip(false)
		s.valueAt = p.at
		if err := p.value(0); err != nil {
			return s, err
		}
		s.value = string(p.text[s.valueAt:p.at])
	}
	p.skip(false)
	if p.at < len(p.text) {
		if p.text[p.at] != '\n' {
			return s, p.fail("there is more in the line than one statement")
		}
		p.at++
	}
	s.end = p.at
	return s, nil
}

// key reads a dotted key.
func (p *tomlParser) key() ([]string, error) {
	var path []string
	for {
		p.skip(false)
		part, err := p.keyPart()
		if err != nil {
			return nil, err
		}
		path = append(path, part)
		p.skip(false)
		if p.peek() != '.' {
			return path, nil
		}
		p.at++
	}
}

func (p *tomlParser) keyPart() (string, error) {
	start := p.at
	if c := p.peek(); c == '"' || c == '\'' {
		if err := p.quoted(); err != nil {
			return "", err
		}
		return unquoteTOML(string(p.text[start:p.at])), nil
	}
	for p.at < len(p.text) && isBare(p.text[p.at]) {
		p.at++
	}
	if p.at == start {
		return "", p.fail("a key is missing")
	}
	return string(p.text[start:p.at]), nil
}

func isBare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// quoted skips a string of any kind.
func (p *tomlParser) quoted() error {
	mark := string(p.text[p.at : p.at+1])
	if triple := strings.Repeat(mark, 3); bytes.HasPrefix(p.text[p.at:], []byte(triple)) {
		mark = triple
	}
	for i := p.at + len(mark); i < len(p.text); i++ {
		switch {
		case p.text[i] == '\\' && mark[0] == '"':
			i++
		case p.text[i] == '\n' && len(mark) == 1:
			return p.fail("a string is not closed")
		case bytes.HasPrefix(p.text[i:], []byte(mark)):
			p.at = i + len(mark)
			for range 2 { // up to two more quotes belong to the text
				if len(mark) == 3 && p.peek() == mark[0] {
					p.at++
				}
			}
			return nil
		}
	}
	return p.fail("a string is not closed")
}

// value skips a value.
func (p *tomlParser) value(depth int) error {
	switch c := p.peek(); {
	case depth > maxDepth:
		return p.fail("nested too deep")
	case c == '"' || c == '\'':
		return p.quoted()
	case c == '[':
		return p.elements(']', depth)
	case c == '{':
		return p.elements('}', depth)
	}
	start := p.at
	for p.at < len(p.text) && (isBare(p.text[p.at]) || strings.IndexByte("+.:", p.text[p.at]) >= 0) {
		p.at++
	}
	if p.at == start {
		return p.fail("a value is missing")
	}
	if date := p.text[start:p.at]; len(date) == 10 && date[4] == '-' && p.at+1 < len(p.text) && p.text[p.at] == ' ' && p.text[p.at+1] <= '9' && p.text[p.at+1] >= '0' {
		p.at++
		return p.value(depth) // the time of a date
	}
	return nil
}

func (p *tomlParser) elements(closing byte, depth int) error {
	p.at++
	for {
		p.skip(true)
		if p.peek() == closing {
			p.at++
			return nil
		}
		if closing == '}' {
			if _, err := p.key(); err != nil {
				return err
			}
			if p.peek() != '=' {
				return p.fail("an equals sign is missing")
			}
			p.at++
			p.skip(true)
		}
		if err := p.value(depth + 1); err != nil {
			return err
		}
		p.skip(true)
		switch p.peek() {
		case ',':
			p.at++
		case closing:
		default:
			return p.fail("a comma is missing")
		}
	}
}

// unquoteTOML returns what a quoted key or string of one line says.
func unquoteTOML(text string) string {
	if len(text) < 2 {
		return text
	}
	if text[0] == '\'' {
		return text[1 : len(text)-1]
	}
	plain, err := strconv.Unquote(text)
	if err != nil {
		return text[1 : len(text)-1]
	}
	return plain
}

// quoteTOML writes a basic string.
func quoteTOML(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < ' ' || r == 0x7f:
			out.WriteString(`\u` + strings.Repeat("0", 2) + strconv.FormatInt(int64(r)|0x100, 16)[1:])
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
