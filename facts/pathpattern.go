package facts

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a pattern.
const (
	MaxPatternBytes = 1024
	maxStars        = 32 // `*`, `**` and sets in one pattern
)

// anchor is where a pattern starts.
type anchor uint8

const (
	anchorWorkspace anchor = iota
	anchorAnywhere         // `**/…`: the whole file system in a restrictive rule, the workspace in a permissive one
	anchorHome
	anchorRoot
)

// PathPattern is a compiled pattern of a path condition. Its language is that
// of spec PTH-8. The zero value matches nothing.
type PathPattern struct {
	text   string
	forms  []form // one for each choice of its braces
	folded []form // the same for folded paths
}

// form is a pattern without braces: a literal path and what may stand below it.
type form struct {
	anchor anchor
	prefix string    // "/a/b": the names before the first wildcard; empty if there are none
	tail   []segment // from the first wildcard on
	last   string    // what the last name of tail is or, after a wildcard, ends with
}

// String returns the pattern as written.
func (p PathPattern) String() string { return p.text }

// CompilePath reads a pattern. An error says what is wrong and what to write
// instead; its text has no place, because the caller knows it.
func CompilePath(pattern string) (PathPattern, error) {
	compiled := PathPattern{text: pattern}
	var err error
	if err := checkPattern(pattern); err != nil {
		return PathPattern{}, err
	}
	if compiled.forms, err = parseForms(pattern); err != nil {
		return PathPattern{}, err
	}
	// A folded range such as [Z-a] can be empty. Without a folded form the
	// pattern is unknown where case is folded.
	if folded, err := parseForms(foldText(pattern)); err == nil {
		compiled.folded = folded
	}
	return compiled, nil
}

func checkPattern(pattern string) error {
	switch {
	case pattern == "":
		return errors.New("the pattern is empty")
	case len(pattern) > MaxPatternBytes:
		return fmt.Errorf("the pattern is longer than %d bytes", MaxPatternBytes)
	case !utf8.ValidString(pattern):
		return errors.New("the pattern is not UTF-8")
	case strings.ContainsFunc(pattern, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("the pattern has a control character")
	case strings.Count(pattern, "*")+strings.Count(pattern, "[") > maxStars:
		return fmt.Errorf("the pattern has more than %d wildcards", maxStars)
	}
	return nil
}

func parseForms(pattern string) ([]form, error) {
	texts, err := expandBraces(pattern)
	if err != nil {
		return nil, err
	}
	forms := make([]form, len(texts))
	for i, text := range texts {
		if forms[i], err = parseForm(text); err != nil {
			return nil, err
		}
	}
	return forms, nil
}

func parseForm(text string) (form, error) {
	where, rest, err := splitAnchor(text)
	if err != nil {
		return form{}, err
	}
	segments, err := parseSegments(rest)
	if err != nil {
		return form{}, err
	}
	if strings.HasPrefix(text, "**") {
		where = anchorAnywhere
	}
	f := form{anchor: where}
	for len(segments) > 0 && segments[0].isLiteral() {
		f.prefix += "/" + segments[0].literal
		segments = segments[1:]
	}
	f.tail = segments
	if len(segments) > 0 {
		f.last = segments[len(segments)-1].ending()
	}
	return f, nil
}

// mayMatch rejects most of what does not match: names that lack the last one.
func (f form) mayMatch(names string) bool {
	if f.endsLiteral() {
		return strings.Contains(names, f.last)
	}
	return strings.HasSuffix(names, f.last)
}

func splitAnchor(text string) (anchor, string, error) {
	switch {
	case strings.HasPrefix(text, "//"):
		return 0, "", errors.New("a pattern cannot start with `//`; write `/` for the file system, or no slash for the workspace")
	case strings.HasPrefix(text, "/"):
		return anchorRoot, text, nil
	case text == "~" || strings.HasPrefix(text, "~/"):
		return anchorHome, text[1:], nil
	case strings.HasPrefix(text, "~"):
		return 0, "", errors.New("`~user` is not supported; write `~/` for the home directory, an absolute path, or `./~` for a name")
	default:
		return anchorWorkspace, text, nil
	}
}

// parseSegments reads the names of a pattern. A slash at the end stands for
// everything below.
func parseSegments(text string) ([]segment, error) {
	if strings.HasSuffix(text, "/") && strings.Trim(text, "/") != "" {
		text += "**"
	}
	var segments []segment
	for name := range strings.SplitSeq(text, "/") {
		switch name {
		case "", ".":
			continue
		case "..":
			return nil, errors.New("a pattern cannot contain `..`; write where it leads, from `/` or `~/`")
		}
		s, err := parseSegment(name)
		if err != nil {
			return nil, err
		}
		if n := len(segments); s.cross && n > 0 && segments[n-1].cross {
			continue
		}
		segments = append(segments, s)
	}
	return segments, nil
}

// extent is how much of a path a pattern has to match.
type extent uint8

const (
	whole    extent = iota // the path
	orParent               // the path or a directory it is in
	orChild                // the path or something that may be in it
)

// matchNames matches names, joined by slashes, with segments. As in
// [segment.match] there is one place to come back to, the last `**`.
func matchNames(segments []segment, names string, reach extent) bool {
	s, star, rest, from := 0, -1, names, ""
	for {
		switch {
		case rest == "" && (reach == orChild || onlyCross(segments[s:])):
			return true
		case rest != "" && s == len(segments) && reach == orParent:
			return true
		case s < len(segments) && segments[s].cross:
			star, from = s, rest
			s++
			continue
		case s < len(segments) && rest != "":
			name, next, _ := strings.Cut(rest, "/")
			if segments[s].match(name) {
				s, rest = s+1, next
				continue
			}
		}
		if star < 0 || from == "" {
			return false
		}
		_, from, _ = strings.Cut(from, "/")
		s, rest = star+1, from
	}
}

func onlyCross(segments []segment) bool {
	return !slices.ContainsFunc(segments, func(s segment) bool { return !s.cross })
}

// endsLiteral reports whether the last name has no wildcard.
func (f form) endsLiteral() bool {
	return len(f.tail) == 0 || f.tail[len(f.tail)-1].isLiteral()
}

// endsCross reports whether the form matches everything below whatever it
// matches.
func (f form) endsCross() bool {
	return len(f.tail) > 0 && f.tail[len(f.tail)-1].cross
}

// Absolute returns the pattern as it is compared in a rule of this mode, for
// explanations: with the root it starts from, or "" if that is not known.
func (p PathPattern) Absolute(roots Roots, mode Mode) string {
	if p.text == "" {
		return ""
	}
	switch rest := strings.TrimPrefix(p.text, "~"); {
	case p.forms[0].anchor == anchorRoot:
		return p.text
	case p.forms[0].anchor == anchorHome:
		return joinRoot(roots.Home, rest)
	case p.forms[0].anchor == anchorAnywhere && mode == Restrictive:
		return joinRoot("/", rest)
	default:
		return joinRoot(roots.Workspace, rest)
	}
}

func joinRoot(dir, rest string) string {
	if dir == "" {
		return ""
	}
	return path.Join(dir, rest)
}
