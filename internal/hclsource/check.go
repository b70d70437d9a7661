package hclsource

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/plangate/plangate"
)

// The limits of a file (spec LNG-4, LNG-5). They are far above what people
// write and far below what hurts.
const (
	// MaxBytes is the size of a file in bytes.
	MaxBytes = 32 << 20
	// MaxTokens bounds the words, strings and symbols of a file, because the
	// parser needs some hundred bytes of memory for each, at worst a thousand.
	MaxTokens = 4_000_000
	// MaxDepth is how deep brackets, braces, parentheses and template
	// sequences may nest, all kinds together.
	MaxDepth = 100
	// MaxOperators bounds the operator characters and index steps of one
	// expression: the parser recurses on most of them.
	MaxOperators = 1000
	// MaxDigits is the length of a number literal; reading one takes
	// quadratic time.
	MaxDigits = 1000

	// maxJoin bounds the bytes that HCL moves while it joins the pieces of
	// strings and here-documents one by one, about half a second's worth.
	maxJoin = 4_000_000_000
	// joinPerRescan is the share of that for each byte that HCL reads in vain.
	joinPerRescan = 8
	// maxOdd bounds the characters outside strings that are not ASCII or
	// belong to no token, because HCL reports each of them.
	maxOdd = 10_000
)

// The codes of the diagnostics made here (spec/diagnostics.md).
const (
	codeTooLarge   = "file_too_large"
	codeEncoding   = "file_encoding"
	codeNUL        = "file_nul"
	codeTooDeep    = "nesting_too_deep"
	codeSyntax     = "syntax"
	codeSingleLine = "single_line_block"
	codeDuplicate  = "duplicate_attribute"
)

// IsJSON reports whether a file of this name has JSON syntax.
func IsJSON(name string) bool { return strings.HasSuffix(name, ".json") }

// Check reports why HCL must not see src, in at most one error. It takes time
// linear in len(src), and no recursion. Passing does not mean that the file
// parses.
func Check(name string, src []byte) plangate.Diagnostics {
	p := checkText(src)
	switch {
	case p != nil:
	case IsJSON(name):
		p = checkJSON(src)
	default:
		p = checkNative(src)
	}
	if p == nil {
		return nil
	}
	return plangate.Diagnostics{{
		Code:    p.code,
		Summary: p.summary,
		Detail:  p.detail,
		Range:   rangeAt(name, src, p.start, p.end),
	}}
}

// problem is a reason to refuse a file, at byte offsets.
type problem struct {
	code, summary, detail string
	start, end            int
}

func checkText(src []byte) *problem {
	if len(src) > MaxBytes {
		return &problem{
			code:    codeTooLarge,
			summary: "File is too large",
			detail:  fmt.Sprintf("The file has %d bytes; at most %d are read. Split it.", len(src), MaxBytes),
		}
	}
	if kind := wideEncoding(src); kind != "" {
		return &problem{
			code:    codeEncoding,
			summary: "File is not UTF-8",
			detail:  "The file looks like " + kind + ". Save it as UTF-8.",
		}
	}
	if i := invalidUTF8(src); i >= 0 {
		return &problem{
			code:    codeEncoding,
			summary: "File is not UTF-8",
			detail: fmt.Sprintf("Byte 0x%02x does not belong to UTF-8 text; the file looks like Latin-1 "+
				"(Windows-1252) or is not text. Save it as UTF-8.", src[i]),
			start: i, end: i + 1,
		}
	}
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return &problem{
			code:    codeNUL,
			summary: "File contains a NUL byte",
			detail:  "A policy is text. Remove the NUL byte; if there are many, the file is not what it seems.",
			start:   i, end: i + 1,
		}
	}
	return nil
}

func invalidUTF8(src []byte) int {
	if utf8.Valid(src) {
		return -1
	}
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// wideEncoding names the encoding of text in 16 or 32 bit units, with or
// without a byte order mark, or returns "". Without a mark it goes by the
// place of the zero bytes that ASCII characters have in such text.
func wideEncoding(src []byte) string {
	switch {
	case bytes.HasPrefix(src, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(src, []byte{0, 0, 0xfe, 0xff}):
		return "UTF-32"
	case bytes.HasPrefix(src, []byte{0xff, 0xfe}), bytes.HasPrefix(src, []byte{0xfe, 0xff}):
		return "UTF-16"
	}
	head := src[:min(len(src), 256)&^1]
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	pairs := len(head) / 2
	if pairs > 0 && (zeros[0] == 0) != (zeros[1] == 0) && 4*(zeros[0]+zeros[1]) >= 3*pairs {
		return "UTF-16"
	}
	return ""
}
