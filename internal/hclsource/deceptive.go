package hclsource

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/plangate/plangate"
)

const codeDeceptive = "deceptive_text"

// maxDeceptive bounds the findings of [Deceptive]. It is one more than a report
// holds, so that the report says that there are more.
const maxDeceptive = 10_001

// Deceptive reports the characters that make a text look different from what
// it says, anywhere in src, comments included (spec LNG-43): the first of each
// line, on up to 10,001 lines. The text must have passed [Check].
func Deceptive(name string, src []byte) plangate.Diagnostics {
	var found plangate.Diagnostics
	line, lineStart := 1, 0
	for i := nextDeceptive(src, 0); i < len(src) && len(found) < maxDeceptive; {
		line += bytes.Count(src[lineStart:i], []byte{'\n'})
		lineStart = bytes.LastIndexByte(src[:i], '\n') + 1
		found = append(found, deceptiveAt(name, src, plangate.Pos{Line: line, Column: columnAt(name, src, i), Byte: i}))
		i = nextDeceptive(src, lineEnd(src, i))
	}
	return found
}

func deceptiveAt(name string, src []byte, start plangate.Pos) *plangate.Diagnostic {
	c, size := utf8.DecodeRune(src[start.Byte:])
	end := plangate.Pos{Line: start.Line, Column: start.Column + 1, Byte: start.Byte + size}
	return &plangate.Diagnostic{
		Code:    codeDeceptive,
		Summary: "Deceptive character",
		Detail: fmt.Sprintf("The character U+%04X changes the order or the lines in which a text is shown, "+
			"so that people read something else than what is enforced. Remove it; in a string, write it as an escape.", c),
		Range: plangate.Range{File: name, Start: start, End: end},
	}
}

// nextDeceptive returns the offset of the first deceptive character at or after
// i, or the length of src.
func nextDeceptive(src []byte, i int) int {
	for ; i < len(src); i++ {
		if c := src[i]; (c >= utf8.RuneSelf || c == '\r') && isDeceptive(src[i:]) {
			return i
		}
	}
	return i
}

// isDeceptive reports whether text begins with the UTF-8 form of a bidi control
// or of a line end that is none here, a lone carriage return included.
func isDeceptive(text []byte) bool {
	switch c, _ := utf8.DecodeRune(text); {
	case c == '\r':
		return len(text) == 1 || text[1] != '\n'
	case 0x202a <= c && c <= 0x202e, 0x2066 <= c && c <= 0x2069:
		return true
	default:
		return c == 0x0085 || c == 0x061c || c == 0x200e || c == 0x200f || c == 0x2028 || c == 0x2029
	}
}
