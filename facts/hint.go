package facts

import (
	"slices"
	"strings"
)

// Hint says that patterns of a restrictive rule miss names that are usually
// meant along with those they match.
type Hint struct {
	Missed  []string // names, or paths below the workspace
	Instead string   // a pattern that matches them
}

// families are names that keep the same secret. The pattern matches them all.
// A rule that matches kin is about the family too.
var families = []struct {
	pattern string
	kin     string
	names   []string
}{
	{".env*", "prod.env", []string{".env", ".env.local", ".env.production", ".envrc"}},
	{"id_*", "id_dsa", []string{"id_rsa", "id_ed25519", "id_ecdsa"}},
}

// PathHints looks for slips in the patterns of a restrictive rule: `**/*.env`
// does not match .env.local, and `*.pem` matches in the workspace root only.
// Patterns that do not compile have no hints.
func PathHints(patterns []string) []Hint {
	var hints []Hint
	for i, pattern := range patterns {
		dir, name := cutLast(pattern)
		if slices.ContainsFunc(patterns[:i], func(p string) bool { d, _ := cutLast(p); return d == dir }) {
			continue // judged with the first one
		}
		hints = append(hints, familyHints(dir, patterns[i:])...)
		if dir == "" && len(name) > 1 && (name[0] == '.' || strings.HasPrefix(name, "*.")) && !slices.Contains(patterns, "**/"+pattern) {
			hints = append(hints, Hint{[]string{"sub/" + strings.ReplaceAll(name, "*", "x")}, "**/" + pattern})
		}
	}
	return hints
}

// familyHints finds families that the patterns of one directory match in part.
func familyHints(dir string, patterns []string) []Hint {
	var names []segment
	for _, pattern := range patterns {
		d, name := cutLast(pattern)
		if s, err := parseSegment(name); err == nil && d == dir && !s.cross {
			names = append(names, s)
		}
	}
	matched := func(name string) bool {
		return slices.ContainsFunc(names, func(s segment) bool { return s.match(name) })
	}
	var hints []Hint
	for _, family := range families {
		missed := slices.DeleteFunc(slices.Clone(family.names), matched)
		about := len(missed) < len(family.names) || matched(family.kin)
		if about && len(missed) > 0 {
			hints = append(hints, Hint{missed, dir + family.pattern})
		}
	}
	return hints
}

// cutLast splits a pattern before its last name.
func cutLast(pattern string) (dir, name string) {
	at := strings.LastIndexByte(pattern, '/') + 1
	return pattern[:at], pattern[at:]
}
