package hclsource

import "fmt"

// checkNative walks a file in native syntax.
func checkNative(src []byte) *problem {
	s := newScanner(src, fileFrame)
	if p := s.run(); p != nil {
		return p
	}
	return s.fault
}

// checkTemplate walks the text of a JSON string that may be a template. Lexical
// faults do not count: most such strings are never read as templates.
func checkTemplate(text []byte) *problem {
	return newScanner(text, heredocFrame).run()
}

// frameKind says what a frame of the scanner was opened by.
type frameKind uint8

const (
	fileFrame     frameKind = iota
	braceFrame              // {
	parenFrame              // (
	bracketFrame            // [
	sequenceFrame           // ${ or %{
	quoteFrame              // "
	heredocFrame            // <<MARKER, or the whole of a bare template
)

// frame is something open at the scanner's place.
type frame struct {
	kind frameKind
	// sticky braces hold a for expression, in which a line end does not end
	// the expression.
	sticky bool
	open   int // offset of the opening token
	base   int // operators pending when it was opened
	pieces int // tokens of the string so far
	marker []byte
	// lineStart says that nothing of the here-document's line has been read.
	lineStart bool
}

// scanner follows the lexer of HCL closely enough to know at every byte what
// is open, and how deep the parser may have recursed when it gets there.
type scanner struct {
	src     []byte
	pos     int
	frames  []frame
	depth   int // frames that are not strings
	deepest int
	ops     int // operators of the current expression and of those around it
	tokens  int
	join    int64
	odd     int
	fault   *problem // the first lexical error that HCL survives
	// lastComment is an offset from which on no comment ends.
	lastComment int
}

func newScanner(src []byte, root frameKind) *scanner {
	frames := make([]frame, 1, 16)
	frames[0] = frame{kind: root, lineStart: true}
	s := &scanner{src: src, frames: frames, lastComment: len(src)}
	if root == fileFrame && len(src) >= 3 && string(src[:3]) == string(byteOrderMark) {
		s.pos = 3
	}
	return s
}

// run walks to the end. It returns the reason to refuse the text, or nil.
func (s *scanner) run() *problem {
	for s.pos < len(s.src) {
		var p *problem
		switch s.top().kind {
		case quoteFrame:
			p = s.quoted()
		case heredocFrame:
			p = s.heredoc()
		default:
			p = s.code()
		}
		if p != nil {
			return p
		}
		if s.tokens > MaxTokens {
			return s.tooManyTokens()
		}
	}
	if s.top().kind == quoteFrame {
		s.unclosedString()
	}
	for i := range s.frames {
		s.countJoin(&s.frames[i])
	}
	return s.joinProblem()
}

func (s *scanner) top() *frame { return &s.frames[len(s.frames)-1] }

// push opens a frame whose token is length bytes long, at the current place.
func (s *scanner) push(kind frameKind, length int) *problem {
	s.tokens++
	s.frames = append(s.frames, frame{kind: kind, open: s.pos, base: s.ops, lineStart: true})
	s.pos += length
	if kind == quoteFrame || kind == heredocFrame {
		return nil
	}
	s.depth++
	s.deepest = max(s.deepest, s.depth)
	if s.depth > MaxDepth {
		return s.tooDeep(s.pos-length, length)
	}
	return nil
}

// pop closes the innermost frame.
func (s *scanner) pop() *problem {
	f := s.top()
	s.tokens++
	s.ops = f.base
	s.countJoin(f)
	if f.kind != quoteFrame && f.kind != heredocFrame {
		s.depth--
	}
	s.frames = s.frames[:len(s.frames)-1]
	return s.joinProblem()
}

// countJoin adds what it costs HCL to join the pieces of a string.
func (s *scanner) countJoin(f *frame) {
	s.join += int64(f.pieces) * int64(4*f.pieces+s.pos-f.open)
}

func (s *scanner) joinProblem() *problem {
	if s.join <= maxJoin {
		return nil
	}
	return &problem{
		code:    codeTooLarge,
		summary: "Strings have too many pieces",
		detail:  "The strings and here-documents of this file have too many lines or template signs. Shorten them.",
		start:   s.pos, end: s.pos,
	}
}

// operator counts something that may make the parser recurse.
func (s *scanner) operator(length int) *problem {
	s.ops++
	s.tokens++
	s.pos += length
	if s.ops > MaxOperators {
		return s.tooManyOperators(s.pos-length, length)
	}
	return nil
}

func (s *scanner) tooDeep(start, length int) *problem {
	return &problem{
		code:    codeTooDeep,
		summary: "Nesting is too deep",
		detail:  fmt.Sprintf("Brackets, braces and templates may nest %d deep. Simplify this.", MaxDepth),
		start:   start, end: start + length,
	}
}

func (s *scanner) tooManyOperators(start, length int) *problem {
	return &problem{
		code:    codeTooDeep,
		summary: "Expression is too long",
		detail:  fmt.Sprintf("One expression may have %d operators and steps. Split it.", MaxOperators),
		start:   start, end: start + length,
	}
}

func (s *scanner) tooManyTokens() *problem {
	return &problem{
		code:    codeTooLarge,
		summary: "File is too large",
		detail:  fmt.Sprintf("The file has more than %d words and symbols. Split it.", MaxTokens),
		start:   s.pos, end: s.pos,
	}
}

// unclosedString remembers that the innermost quoted string runs past its line.
func (s *scanner) unclosedString() {
	if s.fault == nil {
		s.fault = &problem{
			code:    codeSyntax,
			summary: "Unclosed string",
			detail: "The string that starts here does not end on its line. Close it with a double quote, " +
				`or write \n for a line break.`,
			start: s.top().open, end: s.pos,
		}
	}
}
