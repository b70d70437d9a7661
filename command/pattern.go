package command

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Answer says whether a pattern matches. The zero value is Unknown.
type Answer uint8

// The answers.
const (
	Unknown Answer = iota
	No
	Yes
)

// String returns unknown, no or yes.
func (a Answer) String() string {
	switch a {
	case No:
		return "no"
	case Yes:
		return "yes"
	default:
		return "unknown"
	}
}

// or is yes if one is yes, no if both are no.
func (a Answer) or(b Answer) Answer {
	switch {
	case a == Yes || b == Yes:
		return Yes
	case a == No && b == No:
		return No
	}
	return Unknown
}

// Mode is the direction in which a pattern is used.
type Mode uint8

// Permissive asks whether the command is exactly what the pattern describes;
// Restrictive, whether it may be.
const (
	Permissive Mode = iota
	Restrictive
)

// Pattern is a compiled command pattern (spec CMD-10). It is immutable.
type Pattern struct {
	text    string
	whole   bool
	program patternWord
	words   []patternWord

	// For restrictive matching: the words sorted into kinds.
	name    patternWord   // the program without directory, in lower case
	options *optionTable  // what is known of the program's options
	plain   []patternWord // words that are not options, in order
	flags   []patternFlag
}

// patternWord is a word cut at its wildcards: one piece is plain text.
type patternWord struct {
	pieces []string
	home   bool // begins with an unquoted tilde or $HOME
}

const maxPattern = 64

// ErrPattern is wrapped by every error of [Compile].
var ErrPattern = errors.New("command pattern")

type patternError string

func (e patternError) Error() string { return string(e) }
func (patternError) Unwrap() error   { return ErrPattern }

// Compile reads a pattern: words as the shell would read them, without any
// expansion. A leading "=" makes it match the whole list of arguments and not
// a prefix. The error says what to change.
func Compile(text string) (*Pattern, error) {
	p := &Pattern{text: text}
	body := strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(body, "="); ok {
		p.whole, body = true, rest
	}
	words, err := patternWords(body)
	switch {
	case err != nil:
		return nil, err
	case len(words) == 0:
		return nil, patternError("a command pattern needs at least the name of a program")
	case len(words) > maxPattern:
		return nil, patternError("a command pattern has at most 64 words")
	case strings.Join(words[0].pieces, "") == "":
		return nil, patternError("the first word of a command pattern names a program; leave the condition out to match every command")
	}
	p.program = words[0]
	p.words = words[1:]
	p.arrange()
	return p, nil
}

// String returns the pattern as written.
func (p *Pattern) String() string { return p.text }

// Program returns the program word as written.
func (p *Pattern) Program() string { return p.program.String() }

// Bare reports whether the pattern names a program and nothing else, so that
// any arguments match.
func (p *Pattern) Bare() bool { return !p.whole && len(p.words) == 0 }

// patternWords splits the text as the shell does.
func patternWords(text string) ([]patternWord, error) {
	switch {
	case strings.ContainsAny(text, "\n\r\x00"):
		return nil, patternError("a command pattern is one line")
	case strings.Contains(" "+text, " #"):
		return nil, patternError("a command pattern has no comment; write # in quotes, next to another character")
	}
	var words []patternWord
	for x, err := range syntax.NewParser().WordsSeq(strings.NewReader(text)) {
		if err != nil {
			return nil, patternError("a command pattern is the words of one command; quote what the shell would treat as an operator")
		}
		word, err := newPatternWord(x)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

func newPatternWord(x *syntax.Word) (patternWord, error) {
	b := patternBuilder{}
	for i, part := range x.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.literal(part.Value, i == 0)
			continue
		case *syntax.SglQuoted:
			if text, ok := ansiC(part.Value); part.Dollar && ok {
				b.text.WriteString(text)
				continue
			} else if !part.Dollar {
				b.text.WriteString(part.Value)
				continue
			}
		case *syntax.DblQuoted:
			if b.quoted(part.Parts, i == 0) {
				continue
			}
		case *syntax.ParamExp:
			if b.homeParam(part, i == 0) {
				continue
			}
		}
		return patternWord{}, patternError("a word of a command pattern is plain text with * as wildcard; put other special characters in single quotes")
	}
	b.word.pieces = append(b.word.pieces, b.text.String())
	return b.word, nil
}

type patternBuilder struct {
	word patternWord
	text strings.Builder
}

func (b *patternBuilder) literal(s string, first bool) {
	b.word.home = first && (s == "~" || strings.HasPrefix(s, "~/"))
	for i := 0; i < len(s); i++ {
		if s[i] == '*' {
			b.word.pieces = append(b.word.pieces, b.text.String())
			b.text.Reset()
			continue
		}
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.text.WriteByte(s[i])
	}
}

func (b *patternBuilder) quoted(parts []syntax.WordPart, first bool) bool {
	for i, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.text.WriteString(unescapeQuoted(part.Value))
		case *syntax.ParamExp:
			if !b.homeParam(part, first && i == 0) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (b *patternBuilder) homeParam(p *syntax.ParamExp, first bool) bool {
	if !first || !plainParam(p) || p.Param.Value != "HOME" {
		return false
	}
	b.word.home = true
	b.text.WriteByte('~')
	return true
}

// String returns the word with stars for its wildcards.
func (w patternWord) String() string { return strings.Join(w.pieces, "*") }

// matches compares with a text, byte for byte.
func (w patternWord) matches(text string) bool {
	if len(w.pieces) == 1 {
		return w.pieces[0] == text
	}
	last := len(w.pieces) - 1
	rest, ok := strings.CutPrefix(text, w.pieces[0])
	if !ok || len(rest) < len(w.pieces[last]) || !strings.HasSuffix(rest, w.pieces[last]) {
		return false
	}
	rest = rest[:len(rest)-len(w.pieces[last])]
	for _, piece := range w.pieces[1:last] {
		i := strings.Index(rest, piece)
		if i < 0 {
			return false
		}
		rest = rest[i+len(piece):]
	}
	return true
}
