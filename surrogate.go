package plangate

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// HalfSurrogate returns the offset of the first escape in a JSON text that is
// half a surrogate pair, or -1. encoding/json would replace it, so that
// different names become the same. The escape has 6 bytes. In valid JSON a
// backslash stands inside strings only; the answer on other text means nothing.
func HalfSurrogate(text []byte) int {
	for i := 0; i < len(text); {
		next := bytes.IndexByte(text[i:], '\\')
		if next < 0 {
			break
		}
		i += next
		first := escapedUnit(text[i:])
		switch {
		case !utf16.IsSurrogate(first):
			i += 2
		case utf16.DecodeRune(first, escapedUnit(text[i+6:])) == utf8.RuneError:
			return i
		default:
			i += 12
		}
	}
	return -1
}

// escapedUnit returns the UTF-16 unit that text begins with as a \u escape, or 0.
func escapedUnit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(unit)
}
