package audit

import "strings"

// maxBackslashes bounds how deep quotes are nested.
const maxBackslashes = 8

// quotes remembers which quotes are open on a line. Places are asked about in
// rising order, so that each byte is read once.
type quotes struct {
	read           int
	single, double bool
	line           span // that was last asked for
}

// inside reports whether a quote of this kind is open at a place of the scan's
// text.
func (s *scan) inside(quote byte, at int) bool {
	for ; s.read < at; s.read++ {
		switch s.text[s.read] {
		case '\n':
			s.single, s.double = false, false
		case '\\':
			s.read++
		case '\'':
			s.single = !s.single && !s.double
		case '"':
			s.double = !s.double && !s.single
		}
	}
	return quote == '"' && s.double || quote == '\'' && s.single
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// closing returns where the quote mark next stands that is not escaped, or -1. A
// mark that has backslashes itself is looked for as it is.
func closing(text string, i int, mark string) int {
	for from := i; from < len(text); {
		n := strings.Index(text[from:], mark)
		if n < 0 {
			return -1
		}
		at := from + n
		backslashes := 0
		for at-backslashes > i && text[at-backslashes-1] == '\\' && backslashes < 2*maxBackslashes {
			backslashes++
		}
		if mark[0] == '\\' && backslashes == 0 || mark[0] != '\\' && backslashes%2 == 0 {
			return at
		}
		from = at + len(mark)
	}
	return -1
}

func skipBlanks(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i
}

// lineEnd returns where the line ends that a place of the scan's text is on.
func (s *scan) lineEnd(i int) int {
	if i < s.line.begin || i > s.line.end {
		s.line = span{i, len(s.text)}
		if n := strings.IndexByte(s.text[min(i, len(s.text)):], '\n'); n >= 0 {
			s.line.end = i + n
		}
	}
	return s.line.end
}
