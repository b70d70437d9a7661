// Package suggest finds the "did you mean" of error messages.
//
// It is advice for people and never decides anything. Functions are pure.
package suggest

import (
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
		limit := min(maxDistance, max(1, len(name)/3))
		d := levenshtein.Distance(strings.ToLower(given), strings.ToLower(name), nil)
		if d <= limit && d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// DidYouMean returns ` Did you mean "x"?` with a leading space, or "".
func DidYouMean(given string, known []string) string {
	if name := Nearest(given, known); name != "" {
		return ` Did you mean "` + name + `"?`
	}
	return ""
}
