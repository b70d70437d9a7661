package command

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// ansiC decodes the inside of $'...'. It says no to what depends on the locale
// or ends the string early.
func ansiC(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if c, ok := simpleEscape(s[i]); ok {
			b.WriteByte(c)
			continue
		}
		n, text, ok := codeEscape(s[i:])
		if !ok {
			return "", false
		}
		b.WriteString(text)
		i += n - 1
	}
	return b.String(), true
}

func simpleEscape(c byte) (byte, bool) {
	const from, to = `abeEfnrtv\'"?`, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
	if i := strings.IndexByte(from, c); i >= 0 {
		return to[i], true
	}
	return 0, false
}

// codeEscape decodes an escape that gives a number, and returns how many bytes
// of s it took. An unknown escape keeps its backslash.
func codeEscape(s string) (int, string, bool) {
	switch c := s[0]; {
	case c >= '0' && c <= '7':
		n, v := number(s, 3, 8)
		return n, string([]byte{byte(v)}), byte(v) != 0
	case c == 'x':
		n, v := number(s[1:], 2, 16)
		return n + 1, string([]byte{byte(v)}), n > 0 && v != 0
	case c == 'u' || c == 'U':
		n, v := number(s[1:], 4+4*int(('u'-c)/('u'-'U')), 16)
		return n + 1, string(rune(v)), n > 0 && v != 0 && utf8.ValidRune(rune(v)) && v < utf8.RuneSelf
	case c == 'c':
		return 0, "", false
	}
	return 1, `\` + s[:1], true
}

// number reads at most limit digits.
func number(s string, limit, base int) (int, uint64) {
	n := 0
	for n < len(s) && n < limit {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	v, err := strconv.ParseUint(s[:n], base, 32)
	if err != nil {
		return 0, 0
	}
	return n, v
}
