package reference

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/plangate/plangate"
)

// allGrants are the grants there are.
func allGrants() []string { return []string{"git-commit", "git-rebase", "git-push"} }

// held is PRF-5: the grants that a call holds, those of its profile first.
func held(p profile, session json.RawMessage) list {
	if len(session) == 0 {
		return p.grants
	}
	var members map[string]any
	decoder := json.NewDecoder(bytes.NewReader(session))
	decoder.UseNumber() // a number may be of any size
	if plangate.CheckJSON(session) != nil || decoder.Decode(&members) != nil || members == nil {
		return nil // it cannot be read
	}
	role, ok := members["role"].(string)
	if !ok && members["role"] != nil || role == "reviewer" {
		return nil
	}
	all := slices.Clone(p.grants)
	// A role that is spelled with escapes is none: whoever looks at the text of a
	// session must see an escalation.
	if role == "escalation" && strings.Contains(string(session), `"escalation"`) {
		all = append(all, escalation(p)...)
	}
	kept, isSet := members["grants"]
	if !isSet {
		return all
	}
	names, ok := kept.([]any)
	if !ok || slices.ContainsFunc(names, notName) {
		return nil
	}
	return slices.DeleteFunc(all, func(e entry) bool { return !slices.Contains(names, any(e.name)) })
}

// notName reports what cannot stand in the grants of a session. A null names
// nothing.
func notName(value any) bool {
	_, isString := value.(string)
	return !isString && value != nil
}

// escalation are all grants, or those that every escalation_grants lists.
func escalation(p profile) list {
	var all list
	for _, name := range allGrants() {
		lacks := func(l list) bool {
			return !slices.ContainsFunc(l, func(e entry) bool { return e.name == name })
		}
		if !slices.ContainsFunc(p.narrowing, lacks) {
			e := p.narrowest
			e.name = name
			all = append(all, e)
		}
	}
	return all
}
