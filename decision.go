package plangate

// Decision is the answer to one call, with its provenance. It is a plain
// value; the strings and the slice are shared with the table and must not be
// changed.
type Decision struct {
	// CallID repeats [Call.ID].
	CallID string `json:"id"`
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
