package facts

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// foldText makes texts equal that differ in case or composition only.
func foldText(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(text)))
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldPath makes paths equal that may be the same file on a volume that folds
// case. HFS+ skips some characters; Windows drops dots and spaces at the end
// of a name and takes what follows a colon for a stream of the file.
func foldPath(path string) string {
	segments := strings.Split(foldText(strings.Map(dropIgnored, path)), "/")
	for i, segment := range segments {
		name, _, _ := strings.Cut(segment, ":")
		if name = strings.TrimRight(name, ". "); name != "" {
			segments[i] = name
		}
	}
	return strings.Join(segments, "/")
}

func dropIgnored(r rune) rune {
	if 0x200c <= r && r <= 0x200f || 0x202a <= r && r <= 0x202e || 0x206a <= r && r <= 0x206f || r == 0xfeff {
		return -1
	}
	return r
}

// compositions returns the composed and the decomposed form of a path where
// they differ from it.
func compositions(path string) []string {
	if isASCII(path) || !utf8.ValidString(path) {
		return nil
	}
	var forms []string
	for _, form := range [...]norm.Form{norm.NFC, norm.NFD} {
		if other := form.String(path); other != path {
			forms = append(forms, other)
		}
	}
	return forms
}
