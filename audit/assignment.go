package audit

import "strings"

// assignment is a name in a text and what may be its value.
type assignment struct {
	*scan
	begin, end int // of the name, with its dashes
	secret     secrecy
	before     byte // the quote right before the name, or 0
	named      bool // the name itself stands in quotes
	after      int  // where what belongs to the name ends
	sep        int  // where the separator begins
}

// find masks the value and returns where to go on, or 0.
func (a *assignment) find() int {
	if a.begin > 0 && isQuote(a.text[a.begin-1]) {
		a.before = a.text[a.begin-1]
	}
	a.after = a.closeName()
	a.sep = skipBlanks(a.text, a.after)
	if a.sep == len(a.text) {
		return 0
	}
	kind := a.separator()
	if kind == sepNone {
		return 0
	}
	a.secret = a.judge()
	switch {
	case a.secret == harmless:
		return 0
	case kind == sepTag:
		return a.until(a.sep+1, "<")
	case kind == sepColon:
		return a.colon(skipBlanks(a.text, a.sep+1))
	case kind == sepSpace:
		return a.spaced()
	default:
		return a.equal(kind)
	}
}

// separators between a name and its value.
type separator uint8

const (
	sepNone    separator = iota
	sepEqual             // name=value, name := value, name => value
	sepCompare           // name == value
	sepColon             // name: value
	sepTag               // <name>value</name>
	sepSpace             // --name value, set name value
)

// operators are the separators that begin with an equals sign or end with one.
var operators = []struct {
	text string
	kind separator
}{
	{"===", sepCompare}, {"!==", sepCompare}, {"==", sepCompare}, {"!=", sepCompare}, {"=~", sepCompare},
	{"=>", sepEqual}, {":=", sepEqual}, {"+=", sepEqual}, {"?=", sepEqual}, {"=", sepEqual},
	{"::", sepNone}, {":", sepColon},
}

// separator tells what separates the name from a value.
func (a *assignment) separator() separator {
	if a.text[a.sep] == '>' {
		if a.begin > 0 && a.text[a.begin-1] == '<' && a.sep == a.end {
			return sepTag
		}
		return sepNone
	}
	for _, operator := range operators {
		if strings.HasPrefix(a.text[a.sep:], operator.text) {
			return operator.kind
		}
	}
	if a.sep > a.after && a.after == a.end && (a.text[a.begin] == '-' || a.isSet()) {
		return sepSpace
	}
	return sepNone
}

// closeName skips what closes a name: the quote and the bracket of config["name"].
func (a *assignment) closeName() int {
	i := a.end
	for i < len(a.text) && i < a.end+maxBackslashes && a.text[i] == '\\' {
		i++
	}
	if a.before != 0 && i < len(a.text) && a.text[i] == a.before {
		a.named = true
		i++
	} else {
		i = a.end
	}
	if i < len(a.text) && a.text[i] == ']' {
		i++
	}
	return i
}

// judge tells how secret the name is where it stands.
func (a *assignment) judge() secrecy {
	name := strings.Trim(a.text[a.begin:a.end], "-.")
	if a.inQuery() {
		words := splitName(name[max(0, len(name)-maxNameBytes):])
		if len(words) > 0 && queryWords[words[len(words)-1]] {
			return secretName
		}
	}
	return secrecyOf(name)
}

// inQuery reports whether the name is a parameter in a URL or a form.
func (a *assignment) inQuery() bool {
	return a.begin > 0 && (a.text[a.begin-1] == '&' || a.text[a.begin-1] == '?')
}

// isSet reports whether the word before the name sets it: git config a.token x.
func (a *assignment) isSet() bool {
	before := a.text[max(0, a.begin-maxNameBytes):a.begin]
	before = before[:strings.LastIndexByte(before, ' ')+1] // without //registry/:
	before = strings.TrimRight(before, " ")
	word := before[strings.LastIndexAny(before, " \n\t")+1:]
	switch strings.ToLower(word) {
	case "set", "config", "setx", "put", "add", "global":
		return len(splitName(a.text[a.begin:min(a.end, a.begin+maxNameBytes)])) > 1
	}
	return false
}

// spaced masks the word after a flag.
func (a *assignment) spaced() int {
	flag := strings.TrimLeft(a.text[a.begin:a.end], "-")
	if strings.HasPrefix(flag, "no-") || strings.IndexByte("-<>|&;\n\r", a.text[a.sep]) >= 0 {
		return 0
	}
	if a.before != 0 {
		return a.toQuote(a.sep)
	}
	return a.word(a.sep)
}

// equal masks the value after an equals sign.
func (a *assignment) equal(kind separator) int {
	i := a.sep
	for i < len(a.text) && strings.IndexByte(":+?!=>~", a.text[i]) >= 0 {
		i++
	}
	value := skipBlanks(a.text, i)
	blank := value > i || a.sep > a.after
	if value == len(a.text) || a.text[value] == '\n' || a.text[value] == '\r' {
		return 0
	}
	quoted := a.quoteAt(value) > 0
	switch {
	case (kind == sepCompare || blank && a.secret == weakName) && !quoted:
		return 0
	case value > i && a.sep == a.after && !quoted:
		return 0 // KEY= command: the value is empty
	case a.before != 0 && !a.named && !quoted:
		return a.toQuote(value)
	case a.inQuery():
		return a.until(value, "&#\"'`<>")
	default:
		return a.word(value)
	}
}

// colon masks the value after a colon.
func (a *assignment) colon(value int) int {
	if a.secret == weakName && !a.named || value == len(a.text) {
		return 0
	}
	switch c := a.text[value]; {
	case c == '\n', c == '\r', c == '{':
		return 0
	case c == '|' || c == '>':
		return a.block(value)
	case a.quoteAt(value) > 0:
		return a.word(value)
	case a.named:
		return a.until(value, ",}]")
	case a.before != 0:
		return a.toQuote(value)
	case a.inside('"', a.begin):
		return a.untilOrWord(value, '"')
	case a.inside('\'', a.begin):
		return a.untilOrWord(value, '\'')
	case a.secret == headerName, a.beginsLine():
		return a.toLineEnd(value)
	default:
		return a.word(value)
	}
}

// untilOrWord masks a header up to the quote around it, and a word of another
// value.
func (a *assignment) untilOrWord(value int, quote byte) int {
	if a.secret == headerName {
		a.before = quote
		return a.toQuote(value)
	}
	return a.word(value)
}

// beginsLine reports whether only marks stand before the name on its line.
func (a *assignment) beginsLine() bool {
	for i := a.begin - 1; i >= 0 && a.text[i] != '\n'; i-- {
		if a.begin-i > 64 || strings.IndexByte(" \t-#/*+>\r", a.text[i]) < 0 {
			return false
		}
	}
	return true
}

// block masks a block of YAML: the lines that are indented more than the name.
func (a *assignment) block(value int) int {
	line := strings.LastIndexByte(a.text[max(0, a.begin-256):a.begin], '\n') + 1 + max(0, a.begin-256)
	indent := indentOf(a.text[line:])
	rest := strings.TrimLeft(a.text[value:min(len(a.text), value+4)], "|>+-0123456789 \r")
	if !strings.HasPrefix(rest, "\n") {
		return a.word(value)
	}
	begin := value + strings.IndexByte(a.text[value:], '\n') + 1
	begin += indentOf(a.text[begin:])
	end := begin
	for next := begin; next < len(a.text); {
		stop := a.lineEnd(next)
		if text := a.text[next:stop]; strings.TrimSpace(text) != "" {
			if next > begin && indentOf(text) <= indent {
				break
			}
			end = stop
		}
		next = stop + 1
	}
	a.mask(begin, end)
	return end
}

func indentOf(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }

// toLineEnd masks the rest of the line.
func (a *assignment) toLineEnd(value int) int {
	end := a.lineEnd(value)
	return a.literal(value, value+len(strings.TrimRight(a.text[value:end], " \t\r,;")), end)
}

// toQuote masks up to the quote that stands before the name.
func (a *assignment) toQuote(value int) int {
	end := closing(a.text, value, string(a.before))
	if end < 0 {
		end = a.lineEnd(value)
	}
	end = max(end, value)
	return a.literal(value, end, end)
}

// until masks up to white space or one of some characters.
func (a *assignment) until(value int, stops string) int {
	end := value
	for end < len(a.text) && !isSpace(a.text[end]) && strings.IndexByte(stops, a.text[end]) < 0 {
		end++
	}
	if stops == ",}]" && strings.HasPrefix(a.text[value:], Placeholder) {
		end = value + len(Placeholder)
	}
	return a.literal(value, end, end)
}

// word masks one word as a shell or a programming language would read it.
func (a *assignment) word(value int) int {
	if width := a.quoteAt(value); width > 0 {
		return a.quoted(value, width)
	}
	end := a.wordEnd(value)
	return a.literal(value, end, end)
}

// quoted masks what is in quotes, with what follows without white space.
func (a *assignment) quoted(value, width int) int {
	mark := a.text[value : value+width]
	if triple := mark + mark + mark; len(mark) == 1 && strings.HasPrefix(a.text[value:], triple) {
		mark = triple
	}
	begin := value + len(mark)
	end := closing(a.text, begin, mark)
	if end < 0 {
		end = max(begin, a.lineEnd(begin))
		return a.literal(begin, end, end)
	}
	after := end + len(mark)
	if after < len(a.text) && !isSpace(a.text[after]) && strings.IndexByte(",;)}]&|<>\"'`\\", a.text[after]) < 0 ||
		after < len(a.text) && isQuote(a.text[after]) && len(mark) == 1 && !a.inside(a.text[after], a.begin) {
		last := a.wordEnd(after)
		a.mask(value, last)
		return last
	}
	return a.literal(begin, end, after)
}

// wordEnd returns where a word ends that may have quoted parts. A quote that was
// open before the name ends it.
func (a *assignment) wordEnd(i int) int {
	for i < len(a.text) && !isSpace(a.text[i]) {
		c := a.text[i]
		if !isQuote(c) {
			if c == '\\' && i+1 < len(a.text) && a.text[i+1] != '\n' {
				i++
			}
			i++
			continue
		}
		if a.before == c || a.inside(c, a.begin) {
			return i
		}
		end := closing(a.text[:a.lineEnd(i)], i+1, string(c))
		if end < 0 {
			return a.lineEnd(i)
		}
		i = end + 1
	}
	return i
}

// literal masks a value unless it is a word of a language that is no secret.
func (a *assignment) literal(begin, end, next int) int {
	switch strings.TrimRight(a.text[begin:end], ",;)}") {
	case "true", "false", "null", "nil", "None", "undefined", "none", "True", "False", "":
		return next
	}
	a.mask(begin, end)
	return next
}

// quoteAt returns the width of the quote at i with its backslashes, or 0.
func (a *assignment) quoteAt(i int) int {
	j := i
	for j < len(a.text) && j < i+maxBackslashes && a.text[j] == '\\' {
		j++
	}
	if j < len(a.text) && isQuote(a.text[j]) {
		return j + 1 - i
	}
	return 0
}
