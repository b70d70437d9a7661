package eval

import "strings"

// Pattern is one value of an operation or provider field: an exact name, or a
// glob in which `*` stands for any bytes, none included (spec §2). The zero
// Pattern is unset and matches anything. It is an immutable value.
type Pattern struct {
	text   string
	set    bool
	prefix string   // literal text before the first star
	middle []string // literal pieces between stars
	suffix string   // literal text after the last star
	stars  int      // runs of stars; 0 for an exact name
}

// NewPattern compiles the text of a match value.
func NewPattern(text string) Pattern {
	if !strings.Contains(text, "*") {
		return Pattern{text: text, set: true}
	}
	pieces := strings.FieldsFunc(text, func(r rune) bool { return r == '*' })
	p := Pattern{text: text, set: true, stars: starRuns(text)}
	if !strings.HasPrefix(text, "*") {
		p.prefix, pieces = pieces[0], pieces[1:]
	}
	if !strings.HasSuffix(text, "*") {
		last := len(pieces) - 1
		p.suffix, pieces = pieces[last], pieces[:last]
	}
	p.middle = pieces
	return p
}

func starRuns(text string) int {
	runs, inRun := 0, false
	for _, b := range []byte(text) {
		if b == '*' && !inRun {
			runs++
		}
		inRun = b == '*'
	}
	return runs
}

// String returns the text as written, or "" if p is unset.
func (p Pattern) String() string { return p.text }

// IsSet reports whether there is a pattern at all.
func (p Pattern) IsSet() bool { return p.set }

// IsGlob reports whether p has a star.
func (p *Pattern) IsGlob() bool { return p.stars > 0 }

// literals is the number of bytes of p that are not stars.
func (p *Pattern) literals() int { return len(p.text) - strings.Count(p.text, "*") }

// Matches reports whether a name matches. It takes time linear in the length of
// name for each piece of p, and never backtracks: between two stars the
// leftmost place is as good as any.
func (p *Pattern) Matches(name string) bool {
	if !p.set {
		return true
	}
	if !p.IsGlob() {
		return p.text == name
	}
	if len(name) < len(p.prefix)+len(p.suffix) ||
		!strings.HasPrefix(name, p.prefix) || !strings.HasSuffix(name, p.suffix) {
		return false
	}
	rest := name[len(p.prefix) : len(name)-len(p.suffix)]
	for _, piece := range p.middle {
		i := strings.Index(rest, piece)
		if i < 0 {
			return false
		}
		rest = rest[i+len(piece):]
	}
	return true
}

// Includes reports whether p matches every name that other matches. A byte that
// stands in no name takes the place of other's stars: p can only take it up
// with a star of its own, which then takes up anything.
func (p *Pattern) Includes(other *Pattern) bool {
	if !p.set || !other.set {
		return !p.set || p.IsGlob() && p.literals() == 0
	}
	return p.Matches(strings.ReplaceAll(other.text, "*", "\x00"))
}

// Narrower reports whether other matches all that p matches and more.
func (p *Pattern) Narrower(other *Pattern) bool { return other.Includes(p) && !p.Includes(other) }

// Overlap returns a name that both patterns match, if there is one. Two globs
// overlap if their ends agree: all the rest fits between the ends.
func (p *Pattern) Overlap(other *Pattern) (witness string, ok bool) {
	switch {
	case !p.set:
		return other.example(), true
	case !other.set:
		return p.example(), true
	case !p.IsGlob():
		return p.text, other.Matches(p.text)
	case !other.IsGlob():
		return other.text, p.Matches(other.text)
	}
	prefix, suffix := longer(p.prefix, other.prefix), longer(p.suffix, other.suffix)
	if !strings.HasPrefix(prefix, p.prefix) || !strings.HasPrefix(prefix, other.prefix) ||
		!strings.HasSuffix(suffix, p.suffix) || !strings.HasSuffix(suffix, other.suffix) {
		return "", false
	}
	return prefix + strings.Join(p.middle, "") + strings.Join(other.middle, "") + suffix, true
}

// example is a name that p matches.
func (p *Pattern) example() string {
	return strings.ReplaceAll(p.text, "*", "")
}

func longer(a, b string) string {
	if len(a) >= len(b) {
		return a
	}
	return b
}

// CompareSpecificity orders the more specific pattern first (spec SEL-1 step
// 1): exact, then glob, then unset; of globs the one with more literal bytes,
// then with fewer stars.
func (p *Pattern) CompareSpecificity(other *Pattern) int {
	if d := p.level() - other.level(); d != 0 || !p.IsGlob() {
		return d
	}
	if d := other.literals() - p.literals(); d != 0 {
		return d
	}
	return p.stars - other.stars
}

func (p *Pattern) level() int {
	switch {
	case !p.set:
		return 2
	case p.IsGlob():
		return 1
	default:
		return 0
	}
}
