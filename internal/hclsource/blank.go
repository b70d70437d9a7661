package hclsource

import (
	"bytes"
	"unicode/utf8"
)

// heredocMarker reads the introducer of a here-document with its line end. The
// length is 0 if there is none. The marker is nil if it is not ASCII: whether
// HCL would take it depends on its tables of Unicode, so it is refused.
func heredocMarker(text []byte) (marker []byte, length int) {
	if !bytes.HasPrefix(text, []byte("<<")) {
		return nil, 0
	}
	start := 2
	if len(text) > 2 && text[2] == '-' {
		start = 3
	}
	i := start
	for i < len(text) && (classOf[text[i]] == wordByte || text[i] == '-' && i > start) {
		i++
	}
	switch {
	case i < len(text) && text[i] >= utf8.RuneSelf:
		return nil, i
	case i == start || '0' <= text[start] && text[start] <= '9':
		return nil, 0
	}
	end := i
	if i < len(text) && text[i] == '\r' {
		i++
	}
	if i == len(text) || text[i] != '\n' {
		return nil, 0
	}
	return text[start:end], i + 1
}

// skipBlank returns where the next token starts.
func (s *scanner) skipBlank() int {
	for i := s.pos; ; {
		if i == len(s.src) {
			return i
		}
		switch classOf[s.src[i]] {
		case spaceByte, newlineByte:
			i++
		case hashByte:
			i = lineEnd(s.src, i)
		case slashByte:
			end, ok := s.commentEnd(i)
			if !ok {
				return i
			}
			i = end
		default:
			return i
		}
	}
}

// commentEnd returns the end of the comment that starts at the slash at i, if
// there is one and it ends.
func (s *scanner) commentEnd(i int) (end int, ok bool) {
	rest := s.src[i+1:]
	switch {
	case bytes.HasPrefix(rest, []byte{'/'}):
		return lineEnd(s.src, i), true
	case bytes.HasPrefix(rest, []byte{'*'}) && i < s.lastComment:
		n := bytes.Index(rest[1:], []byte("*/"))
		if n >= 0 {
			return i + 2 + n + 2, true
		}
		s.lastComment = i
	}
	return i, false
}

// lineEnd returns the offset of the line end at or after i. The line end itself
// is left, because it also ends an expression.
func lineEnd(src []byte, i int) int {
	if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(src)
}
