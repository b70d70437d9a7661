package hclsource

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// code reads outside strings until a string opens, a template sequence closes
// or the text ends.
func (s *scanner) code() *problem {
	for s.pos < len(s.src) {
		var p *problem
		switch classOf[s.src[s.pos]] {
		case spaceByte:
			s.pos++
		case newlineByte:
			s.newline()
		case wordByte:
			p = s.word()
		case operatorByte:
			p = s.operator(1)
		case commaByte:
			s.ops = s.top().base
			s.tokens++
			s.pos++
		case openByte:
			p = s.open()
		case closeByte:
			if s.close() {
				return nil
			}
		case quoteByte:
			return s.push(quoteFrame, 1)
		case hashByte:
			s.lineComment()
		case slashByte:
			p = s.slash()
		case lessByte:
			if entered, p := s.less(); entered || p != nil {
				return p
			}
		default:
			p = s.oddCharacter()
		}
		if p != nil {
			return p
		}
	}
	return nil
}

// newline ends the expression where HCL pays attention to line ends.
func (s *scanner) newline() {
	s.tokens++
	s.pos++
	if f := s.top(); f.kind == fileFrame || f.kind == braceFrame && !f.sticky {
		s.ops = f.base
	}
}

// word reads an identifier or a number, without the dashes and dots that HCL
// takes along: those count as operators, which is on the safe side.
func (s *scanner) word() *problem {
	start := s.pos
	for s.pos < len(s.src) && classOf[s.src[s.pos]] == wordByte {
		s.pos++
	}
	s.tokens++
	if s.pos-start > MaxDigits && s.src[start] <= '9' {
		return &problem{
			code:    codeSyntax,
			summary: "Number is too long",
			detail:  fmt.Sprintf("A number may have %d digits.", MaxDigits),
			start:   start, end: s.pos,
		}
	}
	return nil
}

func (s *scanner) open() *problem {
	switch s.src[s.pos] {
	case '(':
		return s.push(parenFrame, 1)
	case '[':
		// A splat such as a[*][*] recurses although its brackets are closed.
		if s.ops++; s.ops > MaxOperators {
			return s.tooManyOperators(s.pos, 1)
		}
		return s.push(bracketFrame, 1)
	default:
		p := s.push(braceFrame, 1)
		s.top().sticky = bytes.HasPrefix(s.src[s.skipBlank():], []byte("for"))
		return p
	}
}

// close reads a closing bracket and reports whether a template sequence ended.
// The lexer of HCL looks at braces only, so a brace also closes what was left
// open inside it. A bracket that closes nothing is ignored.
func (s *scanner) close() bool {
	want := braceFrame
	switch s.src[s.pos] {
	case ')':
		want = parenFrame
	case ']':
		want = bracketFrame
	}
	s.pos++
	s.tokens++
	if want != braceFrame {
		if s.top().kind == want {
			s.pop()
		}
		return false
	}
	i := len(s.frames) - 1
	for i > 0 && s.frames[i].kind != braceFrame && s.frames[i].kind != sequenceFrame {
		i--
	}
	if i == 0 {
		return false
	}
	sequence := s.frames[i].kind == sequenceFrame
	for len(s.frames) > i {
		s.pop()
	}
	return sequence
}

func (s *scanner) lineComment() {
	s.tokens++
	s.pos = lineEnd(s.src, s.pos)
}

// slash reads a comment or a division sign. At a comment that never ends HCL
// scans to the end, takes the slash alone and goes on behind it.
func (s *scanner) slash() *problem {
	end, ok := s.commentEnd(s.pos)
	if ok {
		s.tokens++
		s.pos = end
		return nil
	}
	if bytes.HasPrefix(s.src[s.pos:], []byte("/*")) {
		s.join += joinPerRescan * int64(len(s.src)-s.pos)
		if s.fault == nil {
			s.fault = &problem{
				code:    codeSyntax,
				summary: "Unclosed comment",
				detail:  "The comment that starts here never ends. Close it with */.",
				start:   s.pos, end: s.pos + 2,
			}
		}
	}
	return s.operator(1)
}

// less reads a < and reports whether a here-document was entered.
func (s *scanner) less() (entered bool, p *problem) {
	marker, length := heredocMarker(s.src[s.pos:])
	switch {
	case length > 0 && marker != nil:
		p = s.push(heredocFrame, length)
		s.top().marker = marker
		return true, p
	case length > 0:
		return false, &problem{
			code:    codeSyntax,
			summary: "Invalid here-document marker",
			detail:  "The word after << must consist of ASCII letters, digits and underscores.",
			start:   s.pos, end: s.pos + length,
		}
	}
	return false, s.operator(1)
}

// oddCharacter reads a character that is not ASCII, or that starts no token.
func (s *scanner) oddCharacter() *problem {
	_, size := utf8.DecodeRune(s.src[s.pos:])
	s.pos += size
	s.tokens++
	if s.odd++; s.odd > maxOdd {
		return &problem{
			code:    codeSyntax,
			summary: "Invalid characters",
			detail:  "The file has too many characters that HCL does not know outside strings. It is not a policy.",
			start:   s.pos - size, end: s.pos,
		}
	}
	return nil
}
