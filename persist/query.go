package persist

import (
	"strings"

	"github.com/plangate/plangate/gate"
)

// condition is a WHERE clause with its arguments.
type condition struct {
	terms []string
	args  []any
}

func (c *condition) add(term string, args ...any) {
	c.terms = append(c.terms, term)
	c.args = append(c.args, args...)
}

// query returns the query for items; its last argument is the limit.
func (c *condition) query() string {
	where := ""
	if len(c.terms) > 0 {
		where = " WHERE " + strings.Join(c.terms, " AND ")
	}
	return "SELECT body FROM plangate_items" + where + " ORDER BY created, id LIMIT ?"
}

// conditions are those of a filter.
func conditions(filter gate.Filter) condition {
	var c condition
	if filter.Session != "" {
		c.add("session = ?", key(filter.Session))
	}
	if filter.Plan != "" {
		c.add("plan = ?", key(filter.Plan))
	}
	if n := len(filter.States); n > 0 {
		states := make([]any, n)
		for i, state := range filter.States {
			states[i] = string(state)
		}
		c.add("state IN (?"+strings.Repeat(", ?", n-1)+")", states...)
	}
	if !filter.ExpiresBy.IsZero() {
		c.add("expires <= ?", instant(filter.ExpiresBy)) // no other than waiting items have it
	}
	if filter.SessionVerdicts != 0 {
		c.add("verdict_epoch = ?", int64(filter.SessionVerdicts))
	}
	if filter.After.ID != "" {
		c.add("(created, id) > (?, ?)", instant(filter.After.Created), key(filter.After.ID))
	}
	return c
}
