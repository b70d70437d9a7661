package hclsource

import "unicode/utf8"

// class groups the bytes that mean the same to the scanner outside strings.
type class uint8

const (
	oddByte class = iota
	spaceByte
	newlineByte
	wordByte
	operatorByte
	commaByte
	openByte
	closeByte
	quoteByte
	hashByte
	slashByte
	lessByte
	wideByte // part of a character that is not ASCII
)

var classOf = makeClasses()

func makeClasses() (table [256]class) {
	for set, kind := range map[string]class{
		" \t\r":         spaceByte,
		"\n":            newlineByte,
		"_":             wordByte,
		"+-*%&|=!>?:.~": operatorByte,
		",":             commaByte,
		"{[(":           openByte,
		"}])":           closeByte,
		`"`:             quoteByte,
		"#":             hashByte,
		"/":             slashByte,
		"<":             lessByte,
	} {
		for _, c := range []byte(set) {
			table[c] = kind
		}
	}
	for c := range 256 {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z' && c < utf8.RuneSelf, '0' <= c && c <= '9':
			table[c] = wordByte
		case c >= utf8.RuneSelf:
			table[c] = wideByte
		}
	}
	return table
}
