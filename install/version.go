package install

import (
	"strconv"
	"strings"
)

// ClosedSince returns the first version of the CLI that is known to know its fail-closed
// switch; "" if all do as far as known, or there is none. Older ones tolerate it: Claude
// Code 2.1.197 was seen to obey a hook whose entry has it, and to run the call if that
// hook fails.
func (h Hook) ClosedSince() string {
	if h.info.Name == "claude" {
		return "2.1.332"
	}
	return ""
}

// Older reports whether a version, whose numbers are separated by dots, is before another.
// What is no number counts as 0.
func Older(a, b string) bool {
	partsA, partsB := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(partsA), len(partsB)) {
		if x, y := number(partsA, i), number(partsB, i); x != y {
			return x < y
		}
	}
	return false
}

// number returns the digits at the beginning of a part.
func number(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	digits := parts[i]
	if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = digits[:end]
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
