package dsl

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/plangate/plangate"
)

// Lit is a value with its place in the text.
type Lit[T any] struct {
	Value T
	Range plangate.Range
}

// File is one parsed policy file.
type File struct {
	Name     string // as given to Parse; stands in every Range
	Source   []byte // the bytes given to Parse
	Policies []*Policy
	Guards   []*Guard
	Defaults []*Default // in source order, at most one per kind
	Profiles []*Profile
	Hook     *DecisionHook // nil if absent
	Approval *Approvals    // nil if absent
	Breaker  *Breaker      // nil if absent
	Foreign  []Foreign     // blocks owned by a kernel
}

// Policy is a policy block. Specificity chooses among policies (spec SEL-1).
type Policy struct{ Body }

// Guard is a guard block. It can only tighten (spec GRD-1); its Action is
// never allow or hook.
type Guard struct{ Body }

// Body is what policy and guard blocks have in common.
type Body struct {
	Name       Lit[string]
	Match      Match
	Action     Lit[plangate.Action]
	Conditions []Condition // in the fixed order command, path, host, grant, when
	Reason     *Lit[string]
	Profiles   []Lit[string] // empty: under every profile
	Expires    *Lit[time.Time]
	Header     plangate.Range // policy "name"; in JSON the key that is the name
	Range      plangate.Range // the whole block
}

// Match is the match attribute. An empty field matches anything; the values of
// one field are alternatives, the fields are ANDed.
type Match struct {
	Operation []Lit[Pattern]
	Provider  []Lit[Pattern]
	Risk      []Lit[plangate.Risk]
	Kind      []Lit[plangate.Kind]
	Range     plangate.Range // of the value; zero if the attribute is absent
}

// Empty reports whether the match has no field at all.
func (m *Match) Empty() bool {
	return len(m.Operation)+len(m.Provider)+len(m.Risk)+len(m.Kind) == 0
}

// Pattern is the text of an operation or provider value. It is a glob if it
// contains a star; there is no escape, so a name with a star in it can only be
// matched by a glob.
type Pattern string

// ConditionType names a condition attribute.
type ConditionType string

// The condition attributes, in the order in which a Body lists them.
const (
	Command ConditionType = "command"
	Path    ConditionType = "path"
	Host    ConditionType = "host"
	Grant   ConditionType = "grant"
	When    ConditionType = "when"
)

// Condition is one condition attribute as written. Values holds the strings of
// command, path, host and grant; Expr and Text hold the expression of when.
type Condition struct {
	Type   ConditionType
	Values []Lit[string]
	Expr   hcl.Expression // when only
	Text   string         // when only: the source text of the expression
	Name   plangate.Range // the attribute name
	Range  plangate.Range // the attribute value
}

// Default is one attribute of the defaults block.
type Default struct {
	Kind   plangate.Kind
	Action Lit[plangate.Action]
}

// Profile is an agent_profile block, as far as it is ours. A nil list is
// unset, which bounds nothing; an empty one allows nothing.
type Profile struct {
	Name             Lit[string]
	Headless         *Lit[bool]
	AllowedTools     *Lit[[]Lit[string]]
	DenyTools        *Lit[[]Lit[string]]
	Grants           *Lit[[]Lit[string]]
	EscalationGrants *Lit[[]Lit[string]]
	Header           plangate.Range
	Range            plangate.Range
}

// DecisionHook is the decision_hook block. Exactly one of Command and URL is set.
type DecisionHook struct {
	Command   *Lit[[]Lit[string]] // argv
	URL       *Lit[string]
	Timeout   Lit[time.Duration]   // default 10s
	OnError   Lit[plangate.Action] // deny or ask; default deny
	OnTimeout Lit[plangate.Action] // deny or ask; default deny
	Range     plangate.Range
}

// OnExpire says what an unanswered approval turns into.
type OnExpire string

// The values of on_expire.
const (
	ExpireDeny       OnExpire = "deny"
	ExpireCancelTurn OnExpire = "cancel_turn"
)

// Approvals is the approvals block.
type Approvals struct {
	ExpiresIn Lit[time.Duration] // default 1h
	OnExpire  Lit[OnExpire]      // default deny
	// Hold is item (default) or batch, SessionScope command (default) or operation,
	// Audit required (default) or best_effort.
	Hold, SessionScope, Audit Lit[string]
	Range                     plangate.Range
}

// Breaker is the circuit_breaker block. Zero disables a check.
type Breaker struct {
	Consecutive Lit[int] // default 3
	Window      Lit[int] // default 20
	Denials     Lit[int] // default 8
	Range       plangate.Range
}

// Foreign is a block that belongs to a kernel. In JSON it has no labels, since
// they cannot be told from the content, and stands for all blocks of a property.
type Foreign struct {
	Type   string
	Labels []string
	Range  plangate.Range
}
