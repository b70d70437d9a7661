package reference

import (
	"regexp"
	"strings"
	"testing"
)

// words returns all words over an alphabet up to a length.
func words(alphabet string, length int) []string {
	all := []string{""}
	for from := 0; length > 0; length-- {
		to := len(all)
		for _, word := range all[from:to] {
			for _, letter := range alphabet {
				all = append(all, word+string(letter))
			}
		}
		from = to
	}
	return all
}

func asRegexp(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`) + `\z`)
}

// TestPatterns holds matching, overlap and narrowness against regular
// expressions, on all names up to a length at which they tell the patterns apart.
func TestPatterns(t *testing.T) {
	patterns, names := words("ab*", 3), words("abc", 6)
	matched := make([][]bool, len(patterns))
	for i, pattern := range patterns {
		matched[i] = make([]bool, len(names))
		expression := asRegexp(pattern)
		for j, name := range names {
			matched[i][j] = matchesName(pattern, name)
			if want := expression.MatchString(name); matched[i][j] != want {
				t.Fatalf("%q matches %q: got %v", pattern, name, !want)
			}
		}
	}
	for i, a := range patterns {
		for j, b := range patterns {
			overlap, inside := false, true
			for n := range names {
				overlap = overlap || matched[i][n] && matched[j][n]
				inside = inside && (!matched[i][n] || matched[j][n])
			}
			if got := patternsOverlap(a, b); got != overlap {
				t.Errorf("%q overlaps %q: got %v", a, b, got)
			}
			if got := includes(b, a); got != inside {
				t.Errorf("%q includes %q: got %v", b, a, got)
			}
		}
	}
}

// TestNarrowerComesFirst: SEL-1 says that its order of globs puts a strictly
// narrower one first.
func TestNarrowerComesFirst(t *testing.T) {
	patterns := words("ab*", 4)
	for _, a := range patterns {
		for _, b := range patterns {
			if isGlob(a) && isGlob(b) && narrower(a, b) && compareRank(rankOf(a), rankOf(b)) <= 0 {
				t.Errorf("%q is narrower than %q and does not come first", a, b)
			}
		}
	}
}
