package eval

import (
	"maps"
	"slices"

	"github.com/plangate/plangate"
)

// Excerpt is the part of a table that concerns calls of a few names: what a program
// needs that decides one call and ends. It decides these calls as the whole table does,
// and denies all others. It is immutable and safe for any number of goroutines.
type Excerpt struct {
	table *Table
	names []pair // as [splitName] leaves them
}

// LoadExcerpt is [Load] for calls with the names of some. Rules and operations of other
// names are neither bound nor checked.
func LoadExcerpt(encoded []byte, binder Binder, calls []plangate.Call) (*Excerpt, error) {
	e := &Excerpt{}
	whole := false
	for i := range calls {
		provider, operation, ambiguous := splitName(calls[i].Provider, calls[i].Operation)
		e.names = append(e.names, pair{provider, operation})
		whole = whole || ambiguous // it stands for several names
	}
	mentioned := map[string]bool{}
	source, digest, err := decode(encoded, func(r *Rule) bool {
		r.mention(mentioned)
		return whole || e.concerns(&r.Match)
	})
	if err != nil {
		return nil, err
	}
	source.Operations = slices.DeleteFunc(source.Operations, func(o Operation) bool {
		return !whole && !slices.Contains(e.names, pair{o.Provider, o.Name})
	})
	if e.table, err = buildDecoded(source, digest, binder); err != nil {
		return nil, err
	}
	maps.Copy(e.table.mentioned, mentioned)
	return e, nil
}

// mention adds the profiles that a rule makes known (spec PRF-3).
func (r *Rule) mention(known map[string]bool) {
	if r.Untrusted || r.Type != plangate.RulePolicy {
		return
	}
	for _, name := range r.Profiles {
		known[name] = true
	}
}

// concerns reports whether a match may hold for one of the names.
func (e *Excerpt) concerns(m *Match) bool {
	return slices.ContainsFunc(e.names, func(name pair) bool {
		return matchesAny(m.Operations, name.operation) && matchesAny(m.Providers, name.provider)
	})
}

func matchesAny(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(text string) bool {
		if text == name {
			return true
		}
		pattern := NewPattern(text)
		return pattern.Matches(name)
	})
}

// Decide is [Table.Decide]. A call of another name is denied.
func (e *Excerpt) Decide(call plangate.Call) plangate.Decision {
	provider, operation, _ := splitName(call.Provider, call.Operation)
	if !slices.Contains(e.names, pair{provider, operation}) {
		return plangate.NewDecision(call.ID, &plangate.Outcome{
			Action: plangate.Deny, MatchedAction: plangate.Deny, DecidedBy: notInExcerpt.DecidedBy(),
			Reason: "The part of the policy that was loaded is not for this call.", Rule: notInExcerpt,
		})
	}
	return e.table.Decide(call)
}

var notInExcerpt = plangate.Rule{Type: plangate.RuleBuiltin, Name: "policy_error"}

// HeldGrant is [Table.HeldGrant].
func (e *Excerpt) HeldGrant(call plangate.Call) string { return e.table.HeldGrant(call) }

// Fingerprint is that of the whole table.
func (e *Excerpt) Fingerprint() string { return e.table.Fingerprint() }

// Profiles are those of the whole table.
func (e *Excerpt) Profiles() []string { return e.table.Profiles() }

// Settings are those of the whole table.
func (e *Excerpt) Settings() Settings { return e.table.Settings() }
