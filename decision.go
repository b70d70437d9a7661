package plangate

import (
	"encoding/json"
	"slices"
)

// Decision is the answer to one call. It is a small immutable value: copying it
// is free, and nobody who holds one can change what a table answers next.
// The zero Decision denies.
type Decision struct {
	callID  string
	outcome *Outcome // never written to after NewDecision
}

// Outcome is what a [Decision] says, as a plain struct. [Decision.Outcome]
// returns a copy; its Unknown slice is shared and must not be changed.
type Outcome struct {
	// Action is deny, ask or allow; never hook.
	Action Action `json:"action"`
	// DecidedBy names the block that decided: policy:NAME, guard:NAME,
	// default:KIND, grant:NAME, allowed_tools, deny_tools or builtin:NAME.
	DecidedBy string `json:"decided_by"`
	// MatchedAction is the action before any downgrade. It is hook when the
	// decision hook has to be asked; Action is then what holds until it answers.
	MatchedAction Action `json:"matched_action"`
	// Downgrade says why Action is stricter than MatchedAction.
	Downgrade Downgrade `json:"downgrade"`
	// Reason is for the model and the human. It is never empty.
	Reason string `json:"reason"`
	// Rule is where the deciding block stands.
	Rule Rule `json:"rule"`
	// Unknown names what could not be established and made the answer
	// stricter: kind, risk, profile, a condition's name… It is sorted.
	Unknown []string `json:"unknown"`
}

// noDecision is what the zero Decision says.
var noDecision = Outcome{
	DecidedBy: "builtin:none", Reason: "Nothing was decided.", Unknown: []string{},
	Rule: Rule{Name: "none"},
}

// NewDecision makes a decision on a call. It keeps outcome, which must not be
// written to afterwards.
func NewDecision(callID string, outcome *Outcome) Decision { return Decision{callID, outcome} }

func (d Decision) get() *Outcome {
	if d.outcome == nil {
		return &noDecision
	}
	return d.outcome
}

// CallID repeats [Call.ID].
func (d Decision) CallID() string { return d.callID }

// Action is deny, ask or allow; never hook.
func (d Decision) Action() Action { return d.get().Action }

// DecidedBy names the block that decided; see [Outcome.DecidedBy].
func (d Decision) DecidedBy() string { return d.get().DecidedBy }

// MatchedAction is the action before any downgrade; see [Outcome.MatchedAction].
func (d Decision) MatchedAction() Action { return d.get().MatchedAction }

// Downgrade says why the action is stricter than the matched one.
func (d Decision) Downgrade() Downgrade { return d.get().Downgrade }

// Reason is for the model and the human. It is never empty.
func (d Decision) Reason() string { return d.get().Reason }

// Rule is where the deciding block stands.
func (d Decision) Rule() Rule { return d.get().Rule }

// Unknown names what could not be established; see [Outcome.Unknown].
func (d Decision) Unknown() []string { return d.get().Unknown }

// Outcome returns all of the above in one struct.
func (d Decision) Outcome() Outcome { return *d.get() }

// Equal reports whether two decisions say the same of the same call.
func (d Decision) Equal(other Decision) bool {
	a, b := d.get(), other.get()
	return d.callID == other.callID && a.Action == b.Action && a.DecidedBy == b.DecidedBy &&
		a.MatchedAction == b.MatchedAction && a.Downgrade == b.Downgrade && a.Reason == b.Reason &&
		a.Rule == b.Rule && slices.Equal(a.Unknown, b.Unknown)
}

// StricterThan orders decisions by action, then by matched action, so that an
// ask is not lost behind a hook (spec DEC-11).
func (d Decision) StricterThan(other Decision) bool {
	a, b := d.get(), other.get()
	if a.Action != b.Action {
		return a.Action < b.Action
	}
	return a.MatchedAction < b.MatchedAction
}

// wireDecision is the JSON form of a decision: every key is always there.
type wireDecision struct {
	ID string `json:"id"`
	Outcome
}

// MarshalJSON writes the decision record of spec FMT-5. It leaves the escaping
// of HTML characters to the encoder that called it.
func (d Decision) MarshalJSON() ([]byte, error) {
	wire := wireDecision{d.callID, d.Outcome()}
	if wire.Unknown == nil {
		wire.Unknown = []string{}
	}
	return marshal(wire)
}

// UnmarshalJSON reads a decision record; unknown words are errors.
func (d *Decision) UnmarshalJSON(text []byte) error {
	var wire wireDecision
	if err := json.Unmarshal(text, &wire); err != nil {
		return err
	}
	*d = NewDecision(wire.ID, &wire.Outcome)
	return nil
}

// Downgrade is the reason an ask became a deny (spec DEC-9).
type Downgrade uint8

// The downgrades. A data source or interactive call has no apply step in which
// somebody could be asked; under a headless profile there is nobody to ask.
const (
	DowngradeNone Downgrade = iota
	DowngradeNoApplyStep
	DowngradeHeadless
)

var downgradeNames = [...]string{"none", "no_apply_step", "headless"}

// String returns the word used in JSON.
func (d Downgrade) String() string { return nameOf(downgradeNames[:], int(d)) }

// MarshalText implements [encoding.TextMarshaler].
func (d Downgrade) MarshalText() ([]byte, error) {
	return textOf("downgrade", downgradeNames[:], int(d))
}

// UnmarshalText implements [encoding.TextUnmarshaler]; unknown text is an error.
func (d *Downgrade) UnmarshalText(text []byte) error {
	i, err := indexOf("downgrade", downgradeNames[:], string(text))
	*d = Downgrade(i)
	return err
}

// Rule names a compiled block and the place of its text. File is empty and
// Line is 0 for what is built in; otherwise Line counts from 1.
type Rule struct {
	Type  RuleType `json:"type"`
	Name  string   `json:"name"`
	Layer Layer    `json:"layer"`
	File  string   `json:"file"`
	Line  int      `json:"line"`
}

// DecidedBy returns the text that [Decision.DecidedBy] has when this rule decides.
func (r Rule) DecidedBy() string {
	if r.Type == RuleList {
		return r.Name
	}
	return r.Type.String() + ":" + r.Name
}

// GrantNames returns the names of all grants there are (spec CMD-16).
func GrantNames() []string { return []string{"git-commit", "git-rebase", "git-push"} }

// RuleType says what sort of block a rule was.
type RuleType uint8

// The rule types, in no order of strength.
const (
	RuleBuiltin RuleType = iota
	RulePolicy
	RuleGuard
	RuleDefault
	RuleGrant
	RuleList
)

var ruleTypeNames = [...]string{"builtin", "policy", "guard", "default", "grant", "list"}

// String returns the word used in JSON and before the colon of decided_by.
func (t RuleType) String() string { return nameOf(ruleTypeNames[:], int(t)) }

// MarshalText implements [encoding.TextMarshaler].
func (t RuleType) MarshalText() ([]byte, error) {
	return textOf("rule type", ruleTypeNames[:], int(t))
}

// UnmarshalText implements [encoding.TextUnmarshaler]; unknown text is an error.
func (t *RuleType) UnmarshalText(text []byte) error {
	i, err := indexOf("rule type", ruleTypeNames[:], string(text))
	*t = RuleType(i)
	return err
}
