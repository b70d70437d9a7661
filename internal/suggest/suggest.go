// Package suggest finds the "did you mean" of error messages.
//
// It is advice for people and never decides anything. Functions are pure.
package suggest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// maxDistance is how many edits a typo may be away from the word that was meant.
const maxDistance = 3

// Nearest returns the known name that given was most likely meant to be, or ""
// if none is near. Case does not count. Of equally near names the first wins.
// It takes time proportional to the length of known.
func Nearest(given string, known []string) string {
	if len(given) > 200 {
		return ""
	}
	best, bestDistance := "", maxDistance+1
	for _, name := range known {
		if d := distance(strings.ToLower(given), strings.ToLower(name)); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// distance is the number of edits between two words if one can be a slip for
// the other, else more than maxDistance. Swapped letters count as one edit, and
// a word that goes on after an underscore counts as far but possible.
func distance(given, name string) int {
	d := levenshtein.Distance(given, name, nil)
	switch limit := min(maxDistance, max(1, len(name)/3)); {
	case d <= limit:
		return d
	case d == 2 && sameLetters(given, name):
		return 1
	case strings.HasPrefix(given, name+"_"), strings.HasPrefix(name, given+"_"):
		return maxDistance
	default:
		return maxDistance + 1
	}
}

func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return bytes.Equal(x, y)
}

// DidYouMean returns ` Did you mean "x"?` with a leading space, or "".
func DidYouMean(given string, known []string) string {
	if name := Nearest(given, known); name != "" {
		return ` Did you mean "` + name + `"?`
	}
	return ""
}
