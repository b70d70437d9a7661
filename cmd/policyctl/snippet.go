package main

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/plangate/plangate"
)

// Widths of the three parts of a source line that are shown, in columns. A file
// can be one line of a megabyte.
const (
	beforeWidth  = 60
	subjectWidth = 60
	afterWidth   = 40
)

// snippet is the line of a range, cut in three and safe to show.
type snippet struct{ before, subject, after string }

// snippet returns the line where r starts. ok is false if the text does not have
// the place. A range of several lines is cut at the end of the first.
func (s *source) snippet(r plangate.Range) (_ snippet, ok bool) {
	src := s.src
	start, end := r.Start.Byte, r.End.Byte
	if r.Start.Line < 1 || start < 0 || start > len(src) || end < start {
		return snippet{}, false
	}
	first, last := s.lineAt(start)
	end = min(end, last)
	return snippet{
		before:  lastColumns(string(src[max(first, start-utf8.UTFMax*beforeWidth):start]), beforeWidth),
		subject: firstColumns(string(src[start:min(end, start+utf8.UTFMax*subjectWidth)]), subjectWidth),
		after:   firstColumns(string(src[end:min(last, end+utf8.UTFMax*afterWidth)]), afterWidth),
	}, true
}

// line returns the source line.
func (s snippet) line() string { return s.before + s.subject + s.after }

// underline returns carets below the subject, at least one.
func (s snippet) underline() string {
	return strings.Repeat(" ", columns(s.before)) + strings.Repeat("^", max(1, columns(s.subject)))
}

// plainLine makes a piece of source safe to show; its tabs become spaces.
func plainLine(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "\ufeff"), "\r")
	return escape(strings.ReplaceAll(text, "\t", "    "))
}

func firstColumns(text string, limit int) string {
	text = plainLine(text)
	used := 0
	for i, r := range text {
		if used += columnsOf(r); used > limit {
			return text[:i] + "…"
		}
	}
	return text
}

func lastColumns(text string, limit int) string {
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	text = plainLine(text)
	over := columns(text) - limit
	if over <= 0 {
		return text
	}
	for i, r := range text {
		if over <= 0 {
			return "…" + text[i:]
		}
		over -= columnsOf(r)
	}
	return "…"
}

func columns(text string) int {
	sum := 0
	for _, r := range text {
		sum += columnsOf(r)
	}
	return sum
}

// columnsOf returns how many columns a terminal gives to a visible character.
func columnsOf(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}
