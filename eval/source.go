package eval

import (
	"time"

	"github.com/plangate/plangate"
)

// Source is a policy in plain form: what a [Table] is made of, and all that its
// encoding holds. It is a value to build and hand over; a Table keeps copies.
type Source struct {
	Rules      []Rule      // policies and guards of all layers, in any order
	Defaults   Defaults    // one per kind
	Profiles   []Profile   // at most one per name
	Operations []Operation // the catalog; at most one per (provider, name)
	Layers     []Layer     // what was looked for, for the trace only
	Settings   Settings    // the zero value stands for DefaultSettings
}

// Rule is a policy or guard in compiled form.
type Rule struct {
	plangate.Rule                 // Type is RulePolicy or RuleGuard
	Action        plangate.Action // a guard's is Deny or Ask
	Match         Match
	Conditions    []ConditionSource // ANDed; empty: unconditional
	Profiles      []string          // applies only under these; empty: always
	NotAfter      time.Time         // matches no call made later; zero: no end
	Untrusted     bool              // may only tighten (spec LAY-4)
	Reason        string            // may be empty
}

// Match is the closed form of a match attribute. An empty field matches anything.
type Match struct {
	Operations []string // exact names or globs
	Providers  []string // exact names or globs
	Risks      []plangate.Risk
	Kinds      []plangate.Kind
}

// ConditionSource is a condition in plain form: the attribute's name and its
// values as written. A [Binder] turns it into a [Condition]. The type writes
// is not in the language: built-in guards use it (spec BLT-1).
type ConditionSource struct {
	Type   string // command, path, host, grant, when, writes
	Values []string
}

// Default is what a kind gets when no policy matches.
type Default struct {
	Action plangate.Action
	Rule   plangate.Rule // Type RuleDefault, Name the kind
}

// Defaults holds a [Default] per kind.
type Defaults struct {
	Resource, DataSource, Interactive Default
}

// Profile is an agent profile, merged over the layers.
type Profile struct {
	Name         string
	Headless     bool
	AllowedTools *List  // nil bounds nothing; an empty list allows nothing
	DenyTools    []List // of all layers, the outer first
	Grants       []List // of all trusted layers, the outer first
	// EscalationGrants are held beside Grants in an escalation session. Each list
	// narrows the others; without one it is all grants (spec PRF-5).
	EscalationGrants []List
	Untrusted        bool // only untrusted layers declare it (spec PRF-3)
}

// List is a profile's list of exact names.
type List struct {
	Names []string
	// Rule is the attribute: Type RuleList, Name allowed_tools or deny_tools. For
	// grants only its place counts, and the name of the grant is filled in.
	Rule plangate.Rule
	// Untrusted lists only tighten: being listed in an untrusted allowlist
	// allows nothing.
	Untrusted bool
}

// Operation is what the catalog knows of an operation.
type Operation struct {
	Provider, Name string
	Kind           plangate.Kind
	Risk           plangate.Risk
	Roles          Roles
}

// Roles says which arguments of an operation conditions look at, as JSON
// pointers into the input; a segment * stands for every item (spec CAT-4).
type Roles struct {
	Command, Path, URL, Cwd []string
	// Optional are those of the pointers above that a call may leave out.
	Optional []string
	Shell    string // language of the commands, as in the catalog
	// Guessed is set if nobody said what arguments there are: the pointers are
	// those of all usual names, and any other argument may mean something too.
	Guessed bool
}

// none reports whether no argument has a role.
func (r *Roles) none() bool { return len(r.Command)+len(r.Path)+len(r.URL) == 0 }

// Layer is a place where policy was looked for.
type Layer struct {
	Layer  plangate.Layer `json:"layer"`
	File   string         `json:"file"`
	Status LayerStatus    `json:"status"`
}

// LayerStatus says what became of a [Layer].
type LayerStatus string

// The statuses of a layer.
const (
	LayerLoaded    LayerStatus = "loaded"
	LayerAbsent    LayerStatus = "absent"
	LayerUntrusted LayerStatus = "untrusted"
)

// Truth is the answer of a condition. The zero value is [Unknown], which never
// allows and never lets a restriction pass unseen.
type Truth uint8

// The truth values.
const (
	Unknown Truth = iota
	No
	Yes
)

// String returns unknown, no or yes.
func (t Truth) String() string { return [...]string{"unknown", "no", "yes"}[t] }

// And is the three-valued conjunction: no wins over unknown, unknown over yes.
func (t Truth) And(other Truth) Truth {
	switch {
	case t == No || other == No:
		return No
	case t == Unknown || other == Unknown:
		return Unknown
	default:
		return Yes
	}
}

// Or is the three-valued disjunction: yes wins over unknown, unknown over no.
func (t Truth) Or(other Truth) Truth {
	switch {
	case t == Yes || other == Yes:
		return Yes
	case t == Unknown || other == Unknown:
		return Unknown
	default:
		return No
	}
}

// Condition judges one item of a call's readings. Implementations are pure and
// safe for concurrent use.
type Condition interface {
	// Test answers for item, 0 <= item < readings.Items(). The restrictive
	// flag of the rule decides which readings count, so it is passed along.
	Test(readings Readings, item int, action plangate.Action) Truth
}

// Noter is a [Condition] that can tell how it was judged, for traces only.
type Noter interface {
	// Notes returns sentences: the patterns as they were compared, and why
	// something is unknown. It is called after Test with the same arguments.
	Notes(readings Readings, item int, action plangate.Action) []string
}

// Readings is what a call would do, as far as it can be known. An item is a
// part that is judged on its own, such as one simple command of a script; the
// strictest item decides the call (spec DEC-11).
type Readings interface {
	// Items returns the number of items, at least 1.
	Items() int
	// Item describes an item, for traces only.
	Item(i int) Item
}

// Item is a part of a call that is judged on its own.
type Item struct {
	// Text is the command text that the item stands in, and Start and End are
	// its bytes there. Text is empty if the item is the call as a whole.
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	// Unknown says what about the item is not certain, in stable words.
	Unknown []string `json:"unknown"`
	// Effects says what an allow of the command's words does not cover: writes,
	// assigns, background, wrapper, runs or writes by its options.
	Effects []string `json:"effects"`
}

// Binder supplies the meaning of conditions to a table. It is safe for
// concurrent use. Package bind has the real one.
type Binder interface {
	// Bind makes the condition with this index of a rule. On error the condition
	// counts as unknown. A held grant is put as a rule that allows.
	Bind(rule *Rule, condition int) (Condition, error)
	// Read returns the readings of a call whose name is split (spec DEC-6). known
	// is what the catalog says of the operation, or nil. It is called at most once
	// per decision, and only if a candidate has a condition.
	Read(call plangate.Call, known *Operation) Readings
}

// MarshalText writes unknown, no or yes.
func (t Truth) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
