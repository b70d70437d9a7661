package facts

import (
	"slices"
	"strings"
)

// maxSpellings bounds how many spellings of one path are tried. Three rules of
// decoding that can be applied one after another give few that differ.
const maxSpellings = 8

// otherSpellings returns what programs may make of a text before they open it
// (spec PTH-6), the text itself left out. Each decoding is tried on the results
// of the others.
func (r *Reader) otherSpellings(text string) []string {
	if plainPath(text) {
		return nil
	}
	found := []string{text}
	for i := 0; i < len(found) && len(found) < maxSpellings; i++ {
		for _, decode := range decodings {
			if next := decode(found[i]); next != found[i] && !slices.Contains(found, next) {
				found = append(found, next)
			}
		}
		for _, next := range r.homeSpellings(found[i]) {
			if !slices.Contains(found, next) {
				found = append(found, next)
			}
		}
	}
	return found[1:]
}

// decodings are tried in any order. Each returns its argument if it does not
// apply.
var decodings = []func(string) string{strings.TrimSpace, percentDecoded, fileURLPath, backslashed, driveRooted}

// plainPath recognises texts that no decoding changes, which is most of them.
func plainPath(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c <= ' ', c >= 0x80, c == '%', c == ':', c == '\\', c == '~', c == '$':
			return false
		}
	}
	return true
}

// homeSpellings returns the spellings that have to do with the home directory:
// variables that some tools expand, and a ~ that some tools do not. The latter
// counts only where something has that name.
func (r *Reader) homeSpellings(text string) []string {
	for _, variable := range [...]string{"$HOME", "${HOME}"} {
		if rest, ok := strings.CutPrefix(text, variable); ok && (rest == "" || rest[0] == '/') {
			return []string{"~" + rest}
		}
	}
	if !strings.HasPrefix(text, "~") {
		return nil
	}
	name, _, _ := strings.Cut(text, "/")
	if at, why := below(r.roots.Cwd, name, NoCwd); why != "" || name == "~" && !r.disk.exists(at) {
		return nil
	}
	return []string{"./" + text}
}

// percentDecoded decodes the %XX of a text and leaves alone what is not one.
func percentDecoded(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			b.WriteByte(hexValue(text[i+1])<<4 | hexValue(text[i+2]))
			i += 2
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func hexValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&0x0f + 9
}

// hasScheme reports whether a text begins like a URL.
func hasScheme(text string) bool {
	scheme, _, found := strings.Cut(text, "://")
	return found && isScheme(scheme)
}

func isScheme(text string) bool {
	for i := range len(text) {
		c := text[i] | 0x20
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(text[i]))) {
			return false
		}
	}
	return text != ""
}

func isFileURL(text string) bool {
	return len(text) > 5 && strings.EqualFold(text[:5], "file:")
}

// fileURLPath returns the path in a file URL, without query and fragment.
func fileURLPath(text string) string {
	if !isFileURL(text) {
		return text
	}
	rest, _, _ := strings.Cut(text[5:], "?")
	rest, _, _ = strings.Cut(rest, "#")
	if afterHost, ok := strings.CutPrefix(rest, "//"); ok {
		_, file, _ := strings.Cut(afterHost, "/")
		return "/" + file
	}
	return rest
}

func backslashed(text string) string { return strings.ReplaceAll(text, `\`, "/") }

// driveRooted turns the drive of a Windows path into a directory at the root,
// because such a path is not relative to the working directory.
func driveRooted(text string) string {
	if len(text) < 2 || text[1] != ':' || !isScheme(text[:1]) {
		return text
	}
	return "/" + text[:2] + "/" + strings.TrimLeft(text[2:], `\/`)
}
