package compile

import (
	"fmt"
	"strings"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// names is what a variant matches by name, with every spelling of "anything"
// written alike.
type names struct{ operation, provider string }

func namesOf(v *variant) names { return names{wide(&v.Operation), wide(&v.Provider)} }

func wide(p *eval.Pattern) string {
	text := p.String()
	if strings.Trim(text, "*") == "" {
		return "*"
	}
	for strings.Contains(text, "**") {
		text = strings.ReplaceAll(text, "**", "*")
	}
	return text
}

// findDead reports policies that never win, because for every kind and risk
// another one comes first. What comes first is more specific, and covers a
// policy only if it matches the same names: so only those are compared.
func (c *compiler) findDead() {
	first := make(map[names][]*variant, len(c.policies))
	for _, e := range c.policies {
		if !e.static() || len(e.rule.Profiles) > 0 {
			continue
		}
		variants := variantsOf(e)
		for i := range variants {
			key := namesOf(&variants[i])
			first[key] = append(first[key], &variants[i])
		}
	}
	for _, e := range c.policies {
		if e.expired {
			continue
		}
		if by := covered(e, first); by != nil {
			d := c.warn("never_wins", e.body.Header, "Policy never wins",
				fmt.Sprintf("For every call that policy %q matches, policy %q or another one is more specific. "+
					"Remove it, or change its match.", e.body.Name.Value, by.body.Name.Value))
			d.Context = &e.body.Range
			d.Related = []plangate.Related{{Message: "this one comes first", Range: by.body.Header}}
		}
	}
}

// covered returns the last of those that cover a policy together, or nil.
func covered(e *entry, first map[names][]*variant) *entry {
	var last *entry
	for _, v := range variantsOf(e) {
		left := v.states
		for _, q := range first[namesOf(&v)] {
			if q.entry != e && q.layer() == e.layer && left&q.states != 0 && q.CompareSpecificity(&v.Combination) < 0 {
				left &^= q.states
				last = q.entry
			}
		}
		if left != 0 {
			return nil
		}
	}
	return last
}

func (v *variant) layer() plangate.Layer { return v.entry.layer }
