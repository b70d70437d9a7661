package gate

import (
	"fmt"
	"slices"
)

// State is where an item stands. The states and the moves between them are drawn
// in the package documentation.
type State string

// The states (spec GAT-4). Denied, done and interrupted are final.
const (
	Waiting     State = "waiting"     // for an answer
	Ready       State = "ready"       // allowed, not claimed
	Running     State = "running"     // claimed
	Done        State = "done"        // completed, whether it worked or failed
	Denied      State = "denied"      // will never run
	Interrupted State = "interrupted" // its kernel died while it ran
)

// Final reports whether nothing can happen to an item in this state any more.
func (s State) Final() bool { return s == Done || s == Denied || s == Interrupted }

// Ending says why an item was denied, in one word. It is empty while an item is
// not denied.
type Ending string

// The endings (spec GAT-14). Only EndPolicy, EndHook and EndHuman count towards the
// circuit breaker: an absent human is not a refusing one.
const (
	EndPolicy     Ending = "policy"     // policy, a profile's list, a built-in rule
	EndHook       Ending = "hook"       // the decision hook or a veto
	EndHuman      Ending = "human"      // a verdict, or one remembered for the session
	EndExpired    Ending = "expired"    // nobody answered in time
	EndSuperseded Ending = "superseded" // a newer user message came
)

// Decision is the decision on an item as the plan shows it.
type Decision string

// The decisions of an item (seed plan-apply-gate). An item is pending only while its
// plan is being made; none is stored or returned so.
const (
	DecisionPending Decision = "pending"
	DecisionAllow   Decision = "allow"
	DecisionAsk     Decision = "ask"
	DecisionDeny    Decision = "deny"
)

// Scope says how far a verdict reaches beyond its item.
type Scope string

// The scopes (spec GAT-22). The empty scope means once.
const (
	ScopeOnce    Scope = "once"
	ScopeSession Scope = "session"
	ScopeAlways  Scope = "always"
)

// ParseScope returns the scope for its word; "" is once.
func ParseScope(text string) (Scope, error) {
	if text == "" {
		return ScopeOnce, nil
	}
	if scope := Scope(text); slices.Contains([]Scope{ScopeOnce, ScopeSession, ScopeAlways}, scope) {
		return scope, nil
	}
	return "", fmt.Errorf("%q is no scope; it is one of once, session, always", text)
}
