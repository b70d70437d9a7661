package catalog

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/plangate/plangate"
)

// maxPattern bounds a regular expression, in bytes.
const maxPattern = 4096

// What a pattern costs, in the units of maxSchemaWork. Matching takes linear
// time, but 20 bytes can take milliseconds to read and megabytes to compile.
const (
	patternWork     = 100     // for each byte
	classWork       = 20_000  // for each Unicode class, which has up to some 700 ranges
	foldWork        = 500_000 // for each range beyond ASCII that ignores case: it is taken apart
	instructionWork = 256
	boundWork       = 4 // for each bound of a range in an instruction
)

// pattern reads a regular expression without compiling it, which is enough to
// know whether it is valid and what compiling it would cost.
func (c *checker) pattern(text string, at plangate.Range) error {
	if len(text) > maxPattern {
		return faultf(at, "a pattern has at most %d bytes", maxPattern)
	}
	if err := c.spend(readWork(text)); err != nil {
		return err
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return faultf(at, "a pattern must be a regular expression that RE2 knows: %.120v", err)
	}
	return c.spend(compileWork(parsed))
}

func readWork(text string) int64 {
	units := patternWork*len(text) + classWork*(strings.Count(text, `\p`)+strings.Count(text, `\P`))
	if ignoresCase(text) {
		units += foldWork * min(strings.Count(text, "-"), beyondASCII(text))
	}
	return int64(units)
}

// ignoresCase reports whether a pattern sets the flag i somewhere.
func ignoresCase(text string) bool {
	for _, group := range strings.Split(text, "(?")[1:] {
		rest := strings.TrimLeft(group, "imsU-")
		if strings.Contains(group[:len(group)-len(rest)], "i") {
			return true
		}
	}
	return false
}

func beyondASCII(text string) int {
	count := strings.Count(text, `\x{`)
	for _, r := range text {
		if r >= utf8.RuneSelf {
			count++
		}
	}
	return count
}

// compileWork counts what is in a repetition as often as it is repeated.
func compileWork(re *syntax.Regexp) int64 {
	units := int64(instructionWork)
	switch re.Op {
	case syntax.OpLiteral:
		units *= int64(len(re.Rune))
	case syntax.OpCharClass:
		units += boundWork * int64(len(re.Rune))
	default:
	}
	for _, sub := range re.Sub {
		units += compileWork(sub)
	}
	if re.Op == syntax.OpRepeat {
		units *= int64(max(re.Min, re.Max, 1))
	}
	return units
}
