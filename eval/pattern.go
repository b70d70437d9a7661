package eval

import "strings"

// Pattern is one value of an operation or provider field: an exact name, or a
// glob in which `*` stands for any bytes, none included (spec §2). The zero
// Pattern is unset and matches anything. It is an immutable value.
type Pattern struct {
	text string
	set  bool
	glob *glob // nil for an exact name
}

// glob is the literal text around stars.
type glob struct {
	prefix string   // before the first star
	middle []string // between stars
	suffix string   // after the last star
	stars  int      // runs of stars
}

// NewPattern compiles the text of a match value.
func NewPattern(text string) Pattern {
	if !strings.Contains(text, "*") {
		return Pattern{text: text, set: true}
	}
	pieces := strings.FieldsFunc(text, func(r rune) bool { return r == '*' })
	g := &glob{stars: starRuns(text)}
	if !strings.HasPrefix(text, "*") {
		g.prefix, pieces = pieces[0], pieces[1:]
	}
	if !strings.HasSuffix(text, "*") {
		last := len(pieces) - 1
		g.suffix, pieces = pieces[last], pieces[:last]
	}
	g.middle = pieces
	return Pattern{text: text, set: true, glob: g}
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
func (p *Pattern) String() string { return p.text }

// IsSet reports whether there is a pattern at all.
func (p *Pattern) IsSet() bool { return p.set }

// IsGlob reports whether p has a star.
func (p *Pattern) IsGlob() bool { return p.glob != nil }

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
	return p.glob.matches(name)
}

func (g *glob) matches(name string) bool {
	if len(name) < len(g.prefix)+len(g.suffix) ||
		!strings.HasPrefix(name, g.prefix) || !strings.HasSuffix(name, g.suffix) {
		return false
	}
	rest := name[len(g.prefix) : len(name)-len(g.suffix)]
	for _, piece := range g.middle {
		i := strings.Index(rest, piece)
		if i < 0 {
			return false
		}
		rest = rest[i+len(piece):]
	}
	return true
}

// Includes reports whether p matches every name that other matches. A byte that
// p does not have takes the place of other's stars: p can only take it up with a
// star of its own, which then takes up anything. (It answers no for a p that has
// all 256 bytes.)
func (p *Pattern) Includes(other *Pattern) bool {
	if !p.set || !other.set {
		return !p.set || p.IsGlob() && p.literals() == 0
	}
	for b := range 256 {
		if strange := string([]byte{byte(b)}); !strings.Contains(p.text, strange) {
			return p.Matches(strings.ReplaceAll(other.text, "*", strange))
		}
	}
	return false
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
	return p.glob.overlap(other.glob)
}

func (g *glob) overlap(h *glob) (witness string, ok bool) {
	prefix, suffix := longer(g.prefix, h.prefix), longer(g.suffix, h.suffix)
	if !strings.HasPrefix(prefix, g.prefix) || !strings.HasPrefix(prefix, h.prefix) ||
		!strings.HasSuffix(suffix, g.suffix) || !strings.HasSuffix(suffix, h.suffix) {
		return "", false
	}
	return prefix + strings.Join(g.middle, "") + strings.Join(h.middle, "") + suffix, true
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
	return p.glob.stars - other.glob.stars
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
