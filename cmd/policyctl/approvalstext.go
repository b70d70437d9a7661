package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/plangate/plangate"
)

// Shapes of a text from outside on a card.
const (
	passageWidth = 72  // columns of a line of a text
	rowWidth     = 64  // columns of a line beside a label
	rowLines     = 4   // of a text beside a label
	passageBytes = 300 // of a line: characters without a width can be many
	foldedRun    = 16  // a longer run of one white character is told and not shown
	headLines    = 24  // what is shown of a text that is cut
	tailLines    = 12
	lineBytes    = 8 << 10 // head and tail that are looked at for one line
)

// passageLine is one line of a text as it is shown. Every line of the text begins one,
// and what does not fit goes on in more of them.
type passageLine struct {
	text  string // safe to show
	goes  bool   // it goes on from the one before
	bytes int    // of the source, with the line feed that ends it
}

// passage is a text from outside, safe to show line by line.
type passage struct {
	width  int // columns
	lines  []passageLine
	bytes  int
	hidden int // characters that would not show themselves, and are escaped
}

// passageOf lays out a text. Nothing of it is lost: what cannot be seen is escaped, long
// lines are broken, and long runs of white space are counted.
func passageOf(text string, width int) *passage {
	p := &passage{width: width, bytes: len(text)}
	for len(text) > 0 {
		if n := len(text) - len(strings.TrimLeft(text, "\n")); n > foldedRun {
			p.lines = append(p.lines, passageLine{text: fmt.Sprintf("[%d empty lines]", n), bytes: n})
			text = text[n:]
			continue
		}
		line, rest, ended := strings.Cut(text, "\n")
		p.add(line)
		if ended {
			p.lines[len(p.lines)-1].bytes++
		}
		text = rest
	}
	return p
}

// add lays out one line.
func (p *passage) add(line string) {
	var out strings.Builder
	current := passageLine{}
	used := 0
	flush := func() {
		current.text = out.String()
		p.lines = append(p.lines, current)
		current, used = passageLine{goes: true}, 0
		out.Reset()
	}
	for len(line) > 0 {
		piece, size, hidden := firstPiece(line)
		if hidden {
			p.hidden++
		}
		if width := columns(piece); current.bytes > 0 && (used+width > p.width || out.Len()+len(piece) > passageBytes) {
			flush()
		}
		out.WriteString(piece)
		used += columns(piece)
		current.bytes += size
		line = line[size:]
	}
	flush()
}

// whiteNames name white characters in the plural.
var whiteNames = map[byte]string{' ': "spaces", '\t': "tabs"}

// firstPiece returns how the first character of a text is shown, or the first run of
// white ones, and how many bytes of the text that is.
func firstPiece(text string) (shown string, size int, hidden bool) {
	if text[0] == ' ' || text[0] == '\t' {
		if n := len(text) - len(strings.TrimLeft(text, text[:1])); n > foldedRun {
			return fmt.Sprintf("[%d %s]", n, whiteNames[text[0]]), n, false
		}
	}
	r, size := utf8.DecodeRuneInString(text)
	if r == '\t' {
		return "    ", 1, false
	}
	var out strings.Builder
	writeEscaped(&out, r, text[:size])
	return out.String(), size, !visible(r) || r == utf8.RuneError && size == 1
}

// write writes the lines with a gutter that nothing in them can imitate at the start
// of a line, and only head and tail of many unless full is set. It returns how many
// bytes were left out.
func (p *passage) write(out *strings.Builder, indent string, full bool) (left int) {
	first, last := len(p.lines), len(p.lines)
	if !full && len(p.lines) > headLines+tailLines+1 {
		first, last = headLines, len(p.lines)-tailLines
	}
	for _, line := range p.lines[:first] {
		writeGutter(out, indent, line)
	}
	for _, line := range p.lines[first:last] {
		left += line.bytes
	}
	if left > 0 {
		fmt.Fprintf(out, "%s~ %s of %d left out here; see them with --full\n", indent, plural(left, "byte"), p.bytes)
	}
	for _, line := range p.lines[last:] {
		writeGutter(out, indent, line)
	}
	return left
}

func writeGutter(out *strings.Builder, indent string, line passageLine) {
	gutter := "|"
	if line.goes {
		gutter = ":"
	}
	out.WriteString(strings.TrimRight(indent+gutter+" "+line.text, " ") + "\n")
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object in their order; ok is false for what is
// no object.
func membersOf(input json.RawMessage) (members []member, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(input))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, false
	}
	for decoder.More() {
		name, err := decoder.Token()
		text, isText := name.(string)
		var value json.RawMessage
		if err != nil || !isText || decoder.Decode(&value) != nil {
			return nil, false
		}
		members = append(members, member{text, value})
	}
	return members, true
}

// textOf returns what a JSON value says: a string itself, anything else as JSON.
func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && !bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
		return text
	}
	var out bytes.Buffer
	if json.Indent(&out, value, "", "  ") != nil {
		return string(value)
	}
	return out.String()
}

// oneLine shows a text on one line of about so many columns: its head, its tail, and
// how long it is. No escape is cut.
func oneLine(text string, width int) string {
	var pieces []string
	used := 0
	ends := text
	if len(text) > 2*lineBytes { // what is between never shows
		ends = text[:lineBytes] + text[len(text)-lineBytes:]
		used = width + 1
	}
	for rest := ends; len(rest) > 0; {
		piece, size, _ := firstPiece(rest)
		pieces, used = append(pieces, piece), used+columns(piece)
		rest = rest[size:]
	}
	if used <= width {
		return strings.Join(pieces, "")
	}
	length := fmt.Sprintf("…[%d bytes]…", len(text))
	left := max(width-columns(length), 8)
	head, tail := 0, len(pieces)
	for used = 0; head < tail && used+columns(pieces[head]) <= left-left/3; head++ {
		used += columns(pieces[head])
	}
	for used = 0; head < tail && used+columns(pieces[tail-1]) <= left/3; tail-- {
		used += columns(pieces[tail-1])
	}
	return strings.Join(pieces[:head], "") + length + strings.Join(pieces[tail:], "")
}

// argumentsLine shows an input on one line: its command if it has one, or all members.
func argumentsLine(input json.RawMessage, width int) string {
	members, ok := membersOf(input)
	if !ok {
		return oneLine(string(input), width)
	}
	parts := make([]string, len(members))
	for i, m := range members {
		if m.name == "command" {
			return oneLine(textOf(m.value), width)
		}
		parts[i] = m.name + "=" + string(m.value)
	}
	return oneLine(strings.Join(parts, " "), width)
}

// writeVisibleJSON writes a document in which everything that does not show itself is
// a JSON escape, so that it can be read in a terminal and is the same document.
func writeVisibleJSON(w *world, value any, indent string) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return &exitError{code: codeInternal, message: fmt.Sprintf("cannot encode the result: %v", err)}
	}
	var out strings.Builder
	for _, r := range text.String() {
		switch {
		case r == '\n' || visible(r):
			out.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		}
	}
	_, err := w.stdout.WriteString(out.String())
	return written(err)
}

// pastOf is the word for an action in a sentence.
func pastOf(action plangate.Action) string {
	if action == plangate.Allow {
		return "allowed"
	}
	return "denied"
}
