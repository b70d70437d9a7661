package eval

import "strings"

// pattern is an exact name or a glob in which `*` stands for any bytes, none
// included. The zero pattern is unset and matches anything.
type pattern struct {
	text   string
	set    bool
	prefix string   // literal text before the first star
	middle []string // literal pieces between stars
	suffix string   // literal text after the last star
	stars  int      // runs of stars; 0 for an exact name
}

// newPattern compiles the text of a match value.
func newPattern(text string) pattern {
	if !strings.Contains(text, "*") {
		return pattern{text: text, set: true}
	}
	pieces := strings.FieldsFunc(text, func(r rune) bool { return r == '*' })
	p := pattern{text: text, set: true, stars: starRuns(text)}
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

// glob reports whether p has a star.
func (p *pattern) glob() bool { return p.stars > 0 }

// literals is the number of bytes of p that are not stars.
func (p *pattern) literals() int { return len(p.text) - strings.Count(p.text, "*") }

// matches takes time linear in the length of name for each piece of p, and
// never backtracks: between two stars the leftmost place is as good as any.
func (p *pattern) matches(name string) bool {
	if !p.set {
		return true
	}
	if !p.glob() {
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

// compareSpecificity orders the more specific pattern first (spec SEL-1 step
// 1): exact, then glob, then unset; of globs the one with more literal bytes,
// then with fewer stars.
func compareSpecificity(a, b *pattern) int {
	if d := a.level() - b.level(); d != 0 || !a.glob() {
		return d
	}
	if d := b.literals() - a.literals(); d != 0 {
		return d
	}
	return a.stars - b.stars
}

func (p *pattern) level() int {
	switch {
	case !p.set:
		return 2
	case p.glob():
		return 1
	default:
		return 0
	}
}
