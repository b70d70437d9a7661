package command

import (
	"strings"
	"unicode/utf8"
)

// The bounds. The parser recurses once or more for an opening byte, and a
// program whose stack overflows cannot be saved, so openers are counted on the
// bytes. Counting closers too would be wrong: one in quotes closes nothing.
const (
	maxText     = 256 << 10
	maxOpeners  = 10000
	maxCommands = 10000
	maxDepth    = 100 // compound commands and substitutions inside each other
	maxNested   = 8   // texts inside texts: sh -c "sh -c ..."
	maxWrappers = 32
)

// tooLarge checks the bounds that hold before parsing.
func tooLarge(text string) bool {
	if len(text) > maxText {
		return true
	}
	if len(text) <= maxOpeners {
		return false
	}
	openers := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[', '`', '!', '-', '~':
			openers++
		}
	}
	return openers > maxOpeners && nested(text) > maxOpeners
}

// nested counts the openers that can nest: brackets, backquotes, and runs of
// prefix operators that the parser reads recursively.
func nested(text string) int {
	n := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[', '`':
			n++
		case '!', '-', '~', '+':
			if i > 0 && strings.IndexByte("!-~+ \t(", text[i-1]) >= 0 {
				n++
			}
		}
	}
	return n
}

// strangeBytes reports bytes that shells treat in ways the parser does not.
func strangeBytes(text string) bool {
	return strings.ContainsAny(text, "\x00\r") || !utf8.ValidString(text)
}
