package breaker

import (
	"fmt"
	"strings"
)

// Scope says which sort of counter tripped.
type Scope uint8

// The scopes, in the order in which trips are sorted.
const (
	ScopeProvider Scope = iota + 1
	ScopeRule
	ScopeSession
)

// String returns provider, rule or session.
func (s Scope) String() string {
	switch s {
	case ScopeProvider:
		return "provider"
	case ScopeRule:
		return "rule"
	case ScopeSession:
		return "session"
	default:
		return fmt.Sprintf("Scope(%d)", uint8(s))
	}
}

// MarshalText implements [encoding.TextMarshaler].
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Reason says which threshold was reached.
type Reason uint8

// The reasons. If both thresholds are reached it is consecutive.
const (
	ReasonConsecutive Reason = iota + 1
	ReasonWindow
)

// String returns consecutive or window.
func (r Reason) String() string {
	switch r {
	case ReasonConsecutive:
		return "consecutive"
	case ReasonWindow:
		return "window"
	default:
		return fmt.Sprintf("Reason(%d)", uint8(r))
	}
}

// MarshalText implements [encoding.TextMarshaler].
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Trip says that a counter is at or over a threshold.
type Trip struct {
	Scope Scope `json:"scope"`
	// Key is the provider, or the rule as in decided_by, without what the gate
	// appended. It is empty for the session and if Shared.
	Key string `json:"key"`
	// Shared says that this counter stands for all names beyond the limits.
	Shared bool   `json:"shared,omitempty"`
	Reason Reason `json:"reason"`
	// Bad is how many denials and crashes were counted for the reason.
	Bad int `json:"bad"`
	// Denials are the items of the denials among them, the latest MaxListed.
	Denials []string `json:"denials"`
}

type tripKey struct {
	scope Scope
	key   key
}

// appended are what the gate writes behind the block that decided.
var appended = [...]string{"+session:", "+approval:", "+resolver:", "+hook:", "+expired", "+superseded"}

// ruleOf cuts off what the gate appended to decided_by: an actor's name must not give the
// same rule another counter.
func ruleOf(decidedBy string) string {
	end := len(decidedBy)
	for _, mark := range appended {
		if i := strings.Index(decidedBy, mark); i >= 0 {
			end = min(end, i)
		}
	}
	return decidedBy[:end]
}

// clip bounds the memory of an item id.
func clip(item string) string {
	return strings.ToValidUTF8(strings.Clone(item[:min(len(item), MaxIDBytes)]), "")
}
