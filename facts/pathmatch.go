package facts

import (
	"path"
	"strings"

	"github.com/plangate/plangate/eval"
)

// PathPatterns are the patterns of one condition, any of which may match.
type PathPatterns []PathPattern

// Match judges a path by the certainty rule (spec PTH-1, PTH-2). In a
// permissive rule each reading must match some pattern: /tmp/x and
// /private/tmp/x may be readings of one path and need two patterns.
func (ps PathPatterns) Match(p Path, in *Reader, mode Mode) eval.Truth {
	if mode == Permissive {
		return ps.permits(p, in, func(f form) bool { return true })
	}
	if p.Unknown == NoCwd && ps.matchesAnywhere(p.Given) {
		return eval.Yes
	}
	return ps.restricts(p, in, form.protects)
}

// matchesAnywhere reports whether a relative path matches a pattern that begins
// with ** whatever directory it starts in: the end of the path is known.
func (ps PathPatterns) matchesAnywhere(relative string) bool {
	end := path.Clean("/" + relative)
	for _, pattern := range ps {
		for _, f := range pattern.forms {
			if f.anchor == anchorAnywhere && f.protects("/", end) == eval.Yes {
				return true
			}
		}
	}
	return false
}

// MatchTree is [PathPatterns.Match] for an operation that also reaches
// everything below the path, such as `rm -r` (spec PTH-11). An operation that
// follows links inside the tree must be read as [UnknownPath] in a permissive
// rule, because the tree is not looked at.
func (ps PathPatterns) MatchTree(p Path, in *Reader, mode Mode) eval.Truth {
	if mode == Permissive {
		return ps.permits(p, in, form.endsCross)
	}
	return ps.restricts(p, in, form.covers)
}

// permits wants every reading to match a form that is fit for the purpose.
func (ps PathPatterns) permits(p Path, in *Reader, fit func(form) bool) eval.Truth {
	answer := eval.Yes
	if p.Lexical == "" || !p.Known() {
		answer = eval.Unknown
	}
	for _, reading := range p.readings() {
		answer = answer.And(ps.permitsReading(reading, in, fit))
	}
	return answer
}

func (ps PathPatterns) permitsReading(reading string, in *Reader, fit func(form) bool) eval.Truth {
	answer := eval.No
	for _, pattern := range ps {
		for _, f := range pattern.forms {
			if !fit(f) {
				continue
			}
			bases, why := in.trustedBases(f)
			if why != "" {
				answer = eval.Unknown
			}
			for _, base := range bases {
				if rest, ok := cutBase(reading, base); ok && f.mayMatch(rest) && matchNames(f.tail, rest, whole) {
					return eval.Yes
				}
			}
		}
	}
	return answer
}

// restricts asks the question of every reading and form; one yes is enough.
func (ps PathPatterns) restricts(p Path, in *Reader, ask question) eval.Truth {
	answer := eval.No
	if !p.Known() {
		answer = eval.Unknown
	}
	readings := looseReadings(p)
	for _, pattern := range ps {
		if answer = answer.Or(askForms(pattern.forms, readings, in, ask)); answer == eval.Yes {
			return eval.Yes
		}
	}
	if in.folds {
		return answer.Or(ps.restrictsFolded(readings, in, ask))
	}
	return answer
}

// question asks whether a form that starts at base concerns a path.
type question func(f form, base, path string) eval.Truth

func (ps PathPatterns) restrictsFolded(readings []string, in *Reader, ask question) eval.Truth {
	folded := make([]string, len(readings))
	for i, reading := range readings {
		folded[i] = foldPath(reading)
	}
	answer := eval.No
	for _, pattern := range ps {
		if pattern.folded == nil {
			answer = answer.Or(eval.Unknown)
		}
		answer = answer.Or(askForms(pattern.folded, folded, in, func(f form, base, path string) eval.Truth {
			return ask(f, foldPath(base), path)
		}))
	}
	return answer
}

func askForms(forms []form, readings []string, in *Reader, ask question) eval.Truth {
	answer := eval.No
	for _, f := range forms {
		bases, why := in.bases(f)
		if why != "" {
			answer = answer.Or(eval.Unknown)
		}
		for _, base := range bases {
			for _, reading := range readings {
				if answer = answer.Or(ask(f, base, reading)); answer == eval.Yes {
					return eval.Yes
				}
			}
		}
	}
	return answer
}

// protects reports whether the form, starting at base, matches the path. One
// that ends with a plain name also protects what is below: it may be a
// directory.
func (f form) protects(base, path string) eval.Truth {
	rest, ok := cutBase(path, base)
	reach := whole
	if f.endsLiteral() {
		reach = orParent
	}
	if ok && f.mayMatch(rest) && matchNames(f.tail, rest, reach) {
		return eval.Yes
	}
	return eval.No
}

// covers reports whether the form protects the path or something below it.
// Without a look into the tree that is certain only if what is protected is
// one directory or file.
func (f form) covers(base, path string) eval.Truth {
	if f.protects(base, path) == eval.Yes {
		return eval.Yes
	}
	if _, above := cutBase(base, path); above {
		if len(f.tail) == 0 || len(f.tail) == 1 && f.endsCross() && base != "" {
			return eval.Yes
		}
		return eval.Unknown
	}
	if rest, ok := cutBase(path, base); ok && matchNames(f.tail, rest, orChild) {
		return eval.Unknown
	}
	return eval.No
}

// cutBase returns what path has below base. Both are absolute; the root is
// "/" or "".
func cutBase(path, base string) (string, bool) {
	if base == "/" {
		base = ""
	}
	rest, ok := strings.CutPrefix(path, base)
	switch {
	case !ok:
		return "", false
	case rest == "" || rest == "/":
		return "", true
	case rest[0] == '/':
		return rest[1:], true
	default:
		return "", false
	}
}

// looseReadings are the readings a restrictive rule tries: all, in each Unicode
// composition.
func looseReadings(p Path) []string {
	readings := p.readings()
	for _, reading := range readings {
		readings = append(readings, compositions(reading)...)
	}
	return readings
}

// bases returns where a restrictive form starts: its literal path as text and
// with links followed, because what is protected may itself be a link. If that
// leads nowhere, neither does a call.
func (r *Reader) bases(f form) ([]string, Reason) {
	dir, why := r.anchorDir(f.anchor)
	if f.anchor == anchorAnywhere {
		dir, why = "", ""
	}
	if why != "" {
		return nil, why
	}
	base := dir + f.prefix
	resolved, why := r.disk.resolve(base)
	switch {
	case why == NoAnswer || why == TooMany:
		return []string{base}, why
	case why != "" || resolved == base:
		return []string{base}, ""
	default:
		return []string{base, resolved}, ""
	}
}

// trustedBases returns where a permissive form starts. Links are followed only
// where the model cannot put them: in the roots, which the kernel names, and
// directly below "/". Otherwise a link in place of an allowed directory would
// carry the permission along.
func (r *Reader) trustedBases(f form) ([]string, Reason) {
	dir, why := r.anchorDir(f.anchor)
	if why != "" {
		return nil, why
	}
	trusted, rest := dir, f.prefix
	if f.anchor == anchorRoot && rest != "" {
		name, _, _ := strings.Cut(rest[1:], "/")
		trusted, rest = "/"+name, rest[1+len(name):]
	}
	resolved, why := r.disk.resolve(trusted)
	if why != "" || resolved == trusted || trusted == "" {
		return []string{dir + f.prefix}, ""
	}
	return []string{dir + f.prefix, strings.TrimSuffix(resolved, "/") + rest}, ""
}

// anchorDir returns the directory before a form's prefix, without a slash at
// its end.
func (r *Reader) anchorDir(a anchor) (string, Reason) {
	switch {
	case a == anchorRoot:
		return "", ""
	case a == anchorHome && r.roots.Home == "":
		return "", NoHome
	case a == anchorHome:
		return strings.TrimSuffix(r.roots.Home, "/"), ""
	case r.roots.Workspace == "":
		return "", NoWorkspace
	default:
		return strings.TrimSuffix(r.roots.Workspace, "/"), ""
	}
}
