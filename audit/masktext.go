package audit

import (
	"cmp"
	"slices"
	"strings"
)

// Placeholder stands in place of every secret, whatever its length (audit-06).
const Placeholder = "[masked]"

// maxRounds bounds how often a text is masked again: what is left after masking
// can look like a secret because of it.
const maxRounds = 6

// MaskText masks the secrets in a free text and reports whether there were any:
// assignments and settings (KEY=…, chat.token=…, "password": …), flags, headers,
// passwords of URLs, private keys and well-known shapes of tokens. It masks rather
// too much than too little. Masking twice is masking once. It takes time linear
// in the length of the text.
func MaskText(text string) (masked string, found bool) {
	for range maxRounds {
		s := scan{text: text, failed: map[string]int{}}
		s.all()
		next := s.replace()
		if next == text {
			return text, found
		}
		text, found = next, true
	}
	return Placeholder, true
}

// scan collects the secrets in one text.
type scan struct {
	text  string
	spans []span
	quotes
	failed map[string]int // where a shape of token need not be looked for again
}

type span struct{ begin, end int }

func (s *scan) all() {
	if len(s.text) < 4 {
		return
	}
	s.privateKeys()
	s.assignments()
	s.userinfo()
	s.bearers()
	s.tokens()
	s.clauses()
	s.programs(shellWords(s.text))
}

// mask adds a secret, unless there is none or it is masked.
func (s *scan) mask(begin, end int) {
	if begin < end && s.text[begin:end] != Placeholder {
		s.spans = append(s.spans, span{begin, end})
	}
}

// replace returns the text with all secrets replaced.
func (s *scan) replace() string {
	if len(s.spans) == 0 {
		return s.text
	}
	slices.SortFunc(s.spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(b.end, a.end))
	})
	var out strings.Builder
	done := 0
	for i := 0; i < len(s.spans); {
		whole := s.spans[i]
		for i++; i < len(s.spans) && s.spans[i].begin <= whole.end; i++ {
			whole.end = max(whole.end, s.spans[i].end)
		}
		out.WriteString(s.text[done:whole.begin])
		out.WriteString(Placeholder)
		done = whole.end
	}
	out.WriteString(s.text[done:])
	return out.String()
}

// assignments masks the values of names.
func (s *scan) assignments() {
	for i := 0; i < len(s.text); {
		if !isNameByte(s.text[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(s.text) && isNameByte(s.text[end]) {
			end++
		}
		a := assignment{scan: s, begin: i, end: end}
		i = max(end, a.find())
	}
}

func isNameByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' || c == '.' }

// shellWords splits a text at white space and returns the places of the words
// and of the separators of commands, which are words of length zero.
func shellWords(text string) []span {
	if !strings.Contains(text, " ") {
		return nil
	}
	var words []span
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n', c == ';', c == '|', c == '&':
			words = append(words, span{i, i})
			i++
		case isSpace(c):
			i++
		default:
			end := shellWord(text, i)
			words = append(words, span{i, end})
			i = end
		}
	}
	return words
}

// shellWord returns where the word that begins at i ends. A quote that does not
// close is a character like others.
func shellWord(text string, i int) int {
	for i < len(text) {
		switch c := text[i]; {
		case isSpace(c), c == ';', c == '|', c == '&':
			return i
		case c == '\\':
			i++
		case c == '"', c == '\'':
			if n := strings.IndexByte(text[i+1:min(len(text), i+maxQuoted)], c); n >= 0 {
				i += n + 1
			}
		}
		i++
	}
	return min(i, len(text))
}

// maxQuoted bounds the search for the end of a quoted word of a command.
const maxQuoted = 1 << 10
