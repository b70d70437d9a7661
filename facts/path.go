package facts

import (
	"path"
	"slices"
	"strings"
)

// Path is what a text can mean as the name of a file. All readings are
// absolute and clean.
type Path struct {
	Given    string
	Lexical  string   // ~ expanded, relative to the working directory, `..` cleaned as text; empty if unknown
	Resolved string   // links followed; empty if unknown
	Also     []string // other readings that differ from these two, sorted
	Unknown  Reason   // why some reading is missing
}

// Known reports whether all readings of the path are there.
func (p Path) Known() bool { return p.Unknown == "" }

// readings returns all readings that are there, each once.
func (p Path) readings() []string {
	list := make([]string, 0, 2+len(p.Also))
	if p.Lexical != "" {
		list = append(list, p.Lexical)
	}
	if p.Resolved != "" && p.Resolved != p.Lexical {
		list = append(list, p.Resolved)
	}
	return append(list, p.Also...)
}

// UnknownPath is the path of a text that is only known in part, such as a word
// of a script with a variable in it. Nothing is known of where it leads.
func UnknownPath(text string) Path { return Path{Given: text, Unknown: Dynamic} }

// Path reads a text as a program gets it, except that a leading ~ is still
// there; where a shell would not expand it, put "./" before it. The readings
// are those of spec PTH-3 to PTH-7.
func (r *Reader) Path(text string) Path {
	p := Path{Given: text}
	if len(text) > MaxPathBytes {
		p.Unknown = TooLong
		return p
	}
	p.Lexical, p.Resolved, p.Unknown = r.read(text, &p.Also)
	for _, other := range r.otherSpellings(text) {
		lexical, resolved, why := r.read(other, &p.Also)
		p.Also = append(p.Also, lexical, resolved)
		p.Unknown = first(p.Unknown, why)
	}
	p.Unknown = first(p.Unknown, oddity(text))
	p.Also = p.others(p.Also)
	return p
}

// others sorts readings and drops those that are not there or known already.
func (p Path) others(readings []string) []string {
	slices.Sort(readings)
	readings = slices.DeleteFunc(slices.Compact(readings), func(reading string) bool {
		return reading == "" || reading == p.Lexical || reading == p.Resolved
	})
	if len(readings) == 0 {
		return nil
	}
	return readings
}

// oddity returns why a text cannot be read with certainty however complete its
// readings are.
func oddity(text string) Reason {
	switch {
	case text == "":
		return Empty
	case strings.Contains(text, "\x00"):
		return NUL
	case hasScheme(text) && !isFileURL(text):
		return URL
	default:
		return ""
	}
}

// read returns the two readings of one spelling. Programs that clean a path
// before they open it get a third one where `..` follows a link; it goes to
// also.
func (r *Reader) read(text string, also *[]string) (lexical, resolved string, why Reason) {
	whole, why := r.absolute(text)
	if why != "" {
		return "", "", why
	}
	lexical = path.Clean(whole)
	resolved, why = r.disk.resolve(whole)
	if lexical != whole {
		cleaned, cleanedWhy := r.disk.resolve(lexical)
		*also = append(*also, cleaned)
		why = first(why, cleanedWhy)
	}
	return lexical, resolved, why
}

// absolute puts the directory before a text that it is relative to, and changes
// nothing else. A text that only consists of what is appended to a root cannot
// replace it: ~//etc is in the home directory.
func (r *Reader) absolute(text string) (string, Reason) {
	text, _, _ = strings.Cut(text, "\x00")
	switch {
	case text == "":
		return "", Empty
	case text[0] == '/':
		return text, ""
	case text == "~" || strings.HasPrefix(text, "~/"):
		return below(r.roots.Home, text[1:], NoHome)
	case text[0] == '~':
		return "", UserHome
	default:
		return below(r.roots.Cwd, text, NoCwd)
	}
}

func below(dir, rest string, why Reason) (string, Reason) {
	if dir == "" {
		return "", why
	}
	return strings.TrimSuffix(dir, "/") + "/" + strings.TrimLeft(rest, "/"), ""
}
