package hclsource

import "bytes"

// quoted reads inside a quoted string until it closes, a template sequence
// opens or the text ends.
func (s *scanner) quoted() *problem {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '"':
			s.pos++
			return s.pop()
		case '\\':
			s.pos++
			if s.pos < len(s.src) && s.src[s.pos] != '\n' && s.src[s.pos] != '\r' {
				s.pos++
			}
		case '\n', '\r':
			s.unclosedString()
			s.piece()
			s.pos++
		case '$', '%':
			if opened, p := s.sign(); opened {
				return p
			}
		default:
			s.pos++
		}
	}
	return nil
}

// heredoc reads inside a here-document or a bare template.
func (s *scanner) heredoc() *problem {
	f := s.top()
	for s.pos < len(s.src) {
		if f.lineStart && s.atMarker(f.marker) {
			return s.pop()
		}
		f.lineStart = false
		switch s.src[s.pos] {
		case '\n':
			f.lineStart = true
			s.piece()
			s.pos++
		case '$', '%':
			if opened, p := s.sign(); opened {
				return p
			}
		default:
			s.pos++
		}
	}
	return nil
}

// atMarker reads the closing marker if this line consists of it.
func (s *scanner) atMarker(marker []byte) bool {
	end := lineEnd(s.src, s.pos)
	if marker == nil || end == len(s.src) || !bytes.Equal(bytes.TrimSpace(s.src[s.pos:end]), marker) {
		return false
	}
	s.pos = end
	return true
}

// sign reads a $ or % and reports whether it opened a template sequence. A
// doubled sign before a brace stands for itself.
func (s *scanner) sign() (opened bool, p *problem) {
	sign, rest := s.src[s.pos], s.src[s.pos+1:]
	switch {
	case bytes.HasPrefix(rest, []byte{'{'}):
		if s.ops++; s.ops > MaxOperators {
			return true, s.tooManyOperators(s.pos, 2)
		}
		s.piece()
		return true, s.push(sequenceFrame, 2)
	case bytes.HasPrefix(rest, []byte{sign, '{'}):
		s.pos += 3
	default:
		s.pos++
	}
	s.piece()
	return false, nil
}

// piece counts a token of the innermost string.
func (s *scanner) piece() {
	s.tokens++
	s.top().pieces++
}
