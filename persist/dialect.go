package persist

import (
	"strconv"
	"strings"
)

// dialect is all that the databases differ in.
type dialect struct {
	beginWrite, beginRead string
	// forUpdate locks the rows that a query of Update returns.
	forUpdate string
	// numbered parameters are $1, $2…; otherwise they are question marks.
	numbered bool
	// notify tells other processes of a change, at its commit. It may be empty.
	notify string
	// hasTable counts the tables of a name.
	hasTable string
	// migrations is the prefix of the embedded migration files.
	migrations string
	classify   func(error) failureKind
	// conflicts is how often a transaction is repeated because of others.
	conflicts int
	// refused reports whether an error of COMMIT leaves no doubt that nothing was
	// written.
	refused func(error) bool
	// broken reports whether a connection of the driver is known to be closed.
	broken func(any) bool
}

// bind turns question marks into the parameters of the dialect. No query has one in
// a literal.
func (d *dialect) bind(query string) string {
	if !d.numbered {
		return query
	}
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(query, "?") {
		if n > 0 {
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(n))
		}
		b.WriteString(part)
		n++
	}
	return b.String()
}
