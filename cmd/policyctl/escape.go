package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape makes text safe to show: what a terminal would obey, what reorders
// text, what cannot be seen and what is not UTF-8 becomes a visible escape.
// Names, paths and reasons may be written by whoever is being judged, so
// everything shown to a person goes through here. A backslash stays as it is:
// the result is for reading and cannot be turned back.
func escape(text string) string {
	if isPlain(text) {
		return text
	}
	var out strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		writeEscaped(&out, r, text[:size])
		text = text[size:]
	}
	return out.String()
}

// escapeLines is escape for text of several lines.
func escapeLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = escape(line)
	}
	return strings.Join(lines, "\n")
}

// isPlain reports whether text is printable ASCII.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

func writeEscaped(out *strings.Builder, r rune, raw string) {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		fmt.Fprintf(out, `\x%02x`, raw[0])
	case visible(r):
		out.WriteString(raw)
	case r == '\n':
		out.WriteString(`\n`)
	case r == '\r':
		out.WriteString(`\r`)
	case r == '\t':
		out.WriteString(`\t`)
	case r < 0x100:
		fmt.Fprintf(out, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(out, `\u%04x`, r)
	default:
		fmt.Fprintf(out, `\U%08x`, r)
	}
}

// visible reports whether a character shows itself and nothing else. Variation
// selectors and fillers count as printable in Unicode but can hide text.
func visible(r rune) bool {
	return unicode.IsPrint(r) &&
		!unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
