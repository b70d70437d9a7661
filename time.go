package plangate

import (
	"fmt"
	"regexp"
	"sync"
	"time"
)

// rfc3339 is stricter than package time, which takes hours of one digit,
// decimal commas and zones of 24 hours.
var rfc3339 = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
})

// ParseTime reads a time of RFC 3339 with upper-case T and Z, as in calls and
// in the attribute expires (spec FMT-4, LNG-29). Anything else is an error.
func ParseTime(text string) (time.Time, error) {
	if len(text) > 64 || !rfc3339().MatchString(text) {
		return time.Time{}, fmt.Errorf("plangate: %.64q is no time of RFC 3339", text)
	}
	return time.Parse(time.RFC3339, text)
}
