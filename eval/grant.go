package eval

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/plangate/plangate"
)

// Roles of a session (spec PRF-5). Any other is an ordinary one.
const (
	roleEscalation = "escalation"
	roleReviewer   = "reviewer"
)

// heldGrants are the grants that a call's session holds.
type heldGrants struct {
	profile, escalation []grant
	// kept are the names that the session keeps; nil keeps all (spec PRF-5).
	kept []string
}

// lists are the grants that are held if they are kept, those of the profile first.
func (h *heldGrants) lists() [2][]grant {
	if h == nil {
		return [2][]grant{}
	}
	return [2][]grant{h.profile, h.escalation}
}

func (h *heldGrants) keeps(name string) bool { return h.kept == nil || slices.Contains(h.kept, name) }

// held returns the grants of a profile in a session. What cannot be read holds
// nothing.
func (t *Table) held(p *profile, session json.RawMessage) heldGrants {
	var h heldGrants
	own, escalation := []grant(nil), t.escalation
	if p != nil {
		own, escalation = p.grants, p.escalation
	}
	if len(session) == 0 {
		h.profile = own
		return h
	}
	if len(own) == 0 && !mayEscalate(session) {
		return h
	}
	role, kept, ok := readSession(session)
	if !ok || role == roleReviewer {
		return h
	}
	h.profile, h.kept = own, kept
	if role == roleEscalation && mayEscalate(session) {
		h.escalation = escalation
	}
	return h
}

// HeldGrant returns the name of the grant that the call's profile and session hold and that
// the call is an instance of, whatever decides it; "" if there is none.
func (t *Table) HeldGrant(call plangate.Call) string {
	var memory scratch
	q := t.prepare(&call, &memory)
	j := t.judge(&q, q.readings[0])
	if g := j.heldGrant(); g != nil {
		return g.Name
	}
	return ""
}

// mayEscalate is the quick look that decides whether a session is read at all.
// A role that is spelled with escapes is missed, which holds less.
func mayEscalate(session json.RawMessage) bool {
	return len(session) > 0 && bytes.Contains(session, []byte(`"`+roleEscalation+`"`))
}

// readSession returns the session's role and the grants it keeps. Keys are
// compared exactly.
func readSession(session json.RawMessage) (role string, kept []string, ok bool) {
	var members map[string]json.RawMessage
	if plangate.CheckJSON(session) != nil || json.Unmarshal(session, &members) != nil || members == nil {
		return "", nil, false
	}
	if value, there := members["role"]; there && json.Unmarshal(value, &role) != nil {
		return "", nil, false
	}
	value, there := members["grants"]
	if !there {
		return role, nil, true
	}
	kept = []string{}
	if json.Unmarshal(value, &kept) != nil || kept == nil {
		return "", nil, false
	}
	return role, kept, true
}

// escalationGrants makes the grants of an escalation session: all, or those that
// every list names. The place is that of the innermost list.
func escalationGrants(lists []List, binder Binder) ([]grant, error) {
	source := List{Names: plangate.GrantNames()}
	for _, l := range lists {
		source.Rule = l.Rule
		source.Names = slices.DeleteFunc(slices.Clone(source.Names), func(name string) bool {
			return !slices.Contains(l.Names, name)
		})
	}
	return newGrants(&source, binder)
}
