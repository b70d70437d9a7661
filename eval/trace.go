package eval

import "github.com/plangate/plangate"

// Trace is how a decision came about. Trace.Decision equals what Decide
// returns for the same call.
type Trace struct {
	Decision plangate.Decision `json:"decision"`
	// Call is the call as it was judged: provider and operation split (DEC-6).
	// Kind and risk stay as the caller gave them; see Parts.
	Call   plangate.Call `json:"call"`
	Layers []Layer       `json:"layers"`
	// Items are what the call would do. There are none if the table has no binder.
	Items []Item `json:"items"`
	// Parts are judged one by one; the strictest decides. There is one, or more
	// if the call contradicts the catalog (DEC-5) or has several items (DEC-11).
	Parts []Part `json:"parts"`
	// Decided is the index in Parts of the part that decided.
	Decided int `json:"decided"`
}

// Part is one reading of a call with its own decision.
type Part struct {
	Kind plangate.Kind `json:"kind"`          // resource if unspecified
	Risk plangate.Risk `json:"risk,omitzero"` // left out if unknown
	Item int           `json:"item"`          // index among the items of the call
	// Source says who stated Kind; a Risk that the call left out is the catalog's.
	Source   Origin            `json:"source"`
	Decision plangate.Decision `json:"decision"`
	// Lists are the profile's lists that were consulted, in order.
	Lists []ListStep `json:"lists"`
	// Policies are the policies whose match fits or may fit, in order of
	// precedence, and what became of each.
	Policies []Candidate `json:"policies"`
	// Fallback is the default that stood by if no policy won.
	Fallback Candidate `json:"fallback"`
	// Guards are the guards whose match fits or may fit, in file order.
	Guards []Candidate `json:"guards"`
	// Builtins are the built-in ceilings that were used (DEC-6, PRF-3).
	Builtins []Candidate `json:"builtins"`
}

// Origin says who stated something about a call.
type Origin string

// The origins.
const (
	SourceCall    Origin = "call"
	SourceCatalog Origin = "catalog"
)

// ListStep is one list of the call's profile.
type ListStep struct {
	Rule   plangate.Rule `json:"rule"`
	Listed bool          `json:"listed"`
	// Decides is true if the list settled the matter.
	Decides bool `json:"decides"`
}

// Candidate is a rule that could have decided, and what became of it.
type Candidate struct {
	Rule   plangate.Rule   `json:"rule"`
	Action plangate.Action `json:"action"`
	// Applies is yes, no or unknown.
	Applies Truth `json:"applies"`
	// Unknown names the parts of the rule that were unknown.
	Unknown []string `json:"unknown"`
	// Notes tell how the rule's conditions were judged, in sentences.
	Notes   []string `json:"notes"`
	Outcome Outcome  `json:"outcome"`
	// Why says at which step it lost or why it does not apply; empty for the winner.
	Why Why `json:"why"`
}

// Outcome says what became of a candidate.
type Outcome string

// The outcomes.
const (
	Won          Outcome = "won"          // it decided (for the part)
	Chosen       Outcome = "chosen"       // best policy, but something tightened it
	Lost         Outcome = "lost"         // another policy comes first
	Tightened    Outcome = "tightened"    // a guard or ceiling that was used but did not decide
	DoesNotApply Outcome = "not_applying" // see Why
)

// Why is the reason for an [Outcome].
type Why string

// The reasons. The first five are the steps of spec SEL-1.
const (
	WhySpecificity Why = "specificity" // the winner's match is more specific
	WhyCondition   Why = "condition"   // the winner has a condition
	WhyLayer       Why = "layer"       // the winner's layer is further inside
	WhyAction      Why = "action"      // the winner is stricter
	WhyOrder       Why = "order"       // the winner stands earlier
	WhyProfile     Why = "profile"     // it applies under other profiles
	WhyExpired     Why = "expired"     // its end has passed
	WhyFalse       Why = "false"       // a condition is false
	WhyUncertain   Why = "uncertain"   // an allow that is only possible
	WhyUntrusted   Why = "untrusted"   // an allow or hook of an untrusted layer
	WhyList        Why = "list"        // a profile's list settled the matter before
	WhyWeaker      Why = "weaker"      // what stands is at least as strict
	WhyUnused      Why = "unused"      // a default that was not needed
)
