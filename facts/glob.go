package facts

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// segment matches one name of a path, or any number of names if it is `**`.
type segment struct {
	literal string  // what it matches, if it has no wildcard
	tokens  []token // nil for a literal and for **
	cross   bool    // **
}

// token matches a piece of a name.
type token struct {
	kind  tokenKind
	char  rune // tokenChar
	class *class
}

type tokenKind uint8

const (
	tokenChar  tokenKind = iota
	tokenAny             // one character
	tokenStar            // any number of characters
	tokenClass           // one character of a set
)

// class is a set of characters, as ranges.
type class struct {
	negated bool
	ranges  [][2]rune
}

func (c *class) has(r rune) bool {
	for _, span := range c.ranges {
		if span[0] <= r && r <= span[1] {
			return !c.negated
		}
	}
	return c.negated
}

func (s segment) isLiteral() bool { return s.tokens == nil && !s.cross }

// ending returns the literal or the characters after the last wildcard.
func (s segment) ending() string {
	if s.isLiteral() {
		return s.literal
	}
	end := ""
	for i := len(s.tokens) - 1; i >= 0 && s.tokens[i].kind == tokenChar; i-- {
		end = string(s.tokens[i].char) + end
	}
	return end
}

// beginning returns the literal or the characters before the first wildcard.
func (s segment) beginning() string {
	if s.isLiteral() {
		return s.literal
	}
	var begin strings.Builder
	for _, t := range s.tokens {
		if t.kind != tokenChar {
			break
		}
		begin.WriteRune(t.char)
	}
	return begin.String()
}

// match compares a name. With one place to come back to, the last star, it
// takes at most length times tokens steps.
func (s segment) match(name string) bool {
	if s.isLiteral() {
		return name == s.literal
	}
	t, i, star, from := 0, 0, -1, 0
	for t < len(s.tokens) || i < len(name) {
		if t < len(s.tokens) {
			if s.tokens[t].kind == tokenStar {
				star, from = t, i
				t++
				continue
			}
			if size := s.tokens[t].take(name[i:]); size > 0 {
				t, i = t+1, i+size
				continue
			}
		}
		if star < 0 || from >= len(name) {
			return false
		}
		_, size := utf8.DecodeRuneInString(name[from:])
		from += size
		t, i = star+1, from
	}
	return true
}

// take returns how many bytes of text the token matches, or 0. A byte that is
// not UTF-8 is a character that no literal and no class has.
func (t token) take(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	valid := r != utf8.RuneError || size > 1
	switch {
	case size == 0:
		return 0
	case t.kind == tokenAny,
		t.kind == tokenChar && valid && r == t.char,
		t.kind == tokenClass && valid && t.class.has(r):
		return size
	default:
		return 0
	}
}

// parseSegment reads one name of a pattern, which has no slash and no brace.
func parseSegment(text string) (segment, error) {
	if text == "**" {
		return segment{cross: true}, nil
	}
	if strings.Contains(text, "**") {
		return segment{}, errors.New("`**` must stand alone between slashes; write `**/*.env` for `**.env`")
	}
	var tokens []token
	wild := false
	for rest := text; rest != ""; {
		t, size, err := parseToken(rest)
		if err != nil {
			return segment{}, err
		}
		wild = wild || t.kind != tokenChar
		tokens = append(tokens, t)
		rest = rest[size:]
	}
	if wild {
		return segment{tokens: tokens}, nil
	}
	var literal strings.Builder
	for _, t := range tokens {
		literal.WriteRune(t.char)
	}
	return segment{literal: literal.String()}, nil
}

func parseToken(text string) (token, int, error) {
	switch text[0] {
	case '*':
		return token{kind: tokenStar}, 1, nil
	case '?':
		return token{kind: tokenAny}, 1, nil
	case '[':
		set, size, err := parseClass(text)
		return token{kind: tokenClass, class: set}, size, err
	}
	char, size, err := parseChar(text)
	return token{char: char}, size, err
}

// parseChar reads a character or an escaped one.
func parseChar(text string) (rune, int, error) {
	if text[0] != '\\' {
		r, size := utf8.DecodeRuneInString(text)
		return r, size, nil
	}
	if len(text) < 2 || !strings.ContainsRune(`*?[]{}\,-!^`, rune(text[1])) {
		return 0, 0, errors.New("`\\` may only stand before one of `*?[]{}\\,-!^`; separate names with `/`")
	}
	return rune(text[1]), 2, nil
}

// parseClass reads [abc], [a-z] and [!a-z]; ^ is the same as !.
func parseClass(text string) (*class, int, error) {
	set, at := &class{}, 1
	if at < len(text) && (text[at] == '!' || text[at] == '^') {
		set.negated = true
		at++
	}
	for at < len(text) && text[at] != ']' {
		low, size, err := parseChar(text[at:])
		if err != nil {
			return nil, 0, err
		}
		high := low
		at += size
		if at+1 < len(text) && text[at] == '-' && text[at+1] != ']' {
			if high, size, err = parseChar(text[at+1:]); err != nil {
				return nil, 0, err
			}
			at += 1 + size
		}
		if high < low {
			return nil, 0, fmt.Errorf("the range %c-%c is empty", low, high)
		}
		set.ranges = append(set.ranges, [2]rune{low, high})
	}
	if at >= len(text) || len(set.ranges) == 0 {
		return nil, 0, errors.New("`[` begins a set of characters that does not end; write `\\[` for the character")
	}
	return set, at + 1, nil
}

// Limits of what the braces of one pattern may stand for: patterns, and their
// bytes together, which bound the time of a match.
const (
	maxForms     = 64
	maxFormBytes = 4096
)

// expandBraces returns the patterns that {a,b} stands for.
func expandBraces(text string) ([]string, error) {
	pending, done := []string{text}, []string(nil)
	for len(pending) > 0 {
		next := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		open, end, commas, err := findBraces(next)
		if err != nil {
			return nil, err
		}
		if open < 0 {
			done = append(done, next)
			continue
		}
		from := open + 1
		for _, to := range append(commas, end) {
			pending = append(pending, next[:open]+next[from:to]+next[end+1:])
			from = to + 1
		}
		if n := len(pending) + len(done); n > maxForms || n*len(next) > maxFormBytes+len(text) {
			return nil, fmt.Errorf("the braces stand for more than %d patterns, or for more than %d bytes", maxForms, maxFormBytes)
		}
	}
	return done, nil
}

// findBraces returns the places of the first pair of braces and of its commas,
// or -1.
func findBraces(text string) (open, end int, commas []int, err error) {
	open, depth, inClass := -1, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[' && !inClass:
			inClass = true
		case c == ']':
			inClass = false
		case inClass:
		case c == '{':
			if depth++; depth == 1 {
				open = i
			}
		case c == ',' && depth == 1:
			commas = append(commas, i)
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return open, i, commas, nil
			}
		case c == '}':
			return 0, 0, nil, errors.New("`}` without `{`; write `\\}` for the character")
		}
	}
	if depth > 0 {
		return 0, 0, nil, errors.New("`{` is not closed; write `\\{` for the character")
	}
	return -1, -1, nil, nil
}
