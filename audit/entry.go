package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/plangate/plangate"
)

// Event is the sort of thing that happened.
type Event string

// The events.
const (
	Decision           Event = "decision"            // a call was decided
	ApprovalCreated    Event = "approval_created"    // an ask waits for its answer
	ApprovalAnswered   Event = "approval_answered"   // the one answer that won
	ApprovalExpired    Event = "approval_expired"    // nobody answered in time
	ApprovalSuperseded Event = "approval_superseded" // a newer message took its place
	Claimed            Event = "claimed"             // an allowed item began to run
	Completed          Event = "completed"           // it ended, well or not
	Interrupted        Event = "interrupted"         // it began and nobody knows how it ended
	CorrectionRefused  Event = "correction_refused"  // a corrected input was invalid or denied
	PolicyWritten      Event = "policy_written"      // an answer was written to a policy file
	PolicyUndone       Event = "policy_undone"       // and taken out again
	BreakerTripped     Event = "breaker_tripped"     // too many denials in a session
	HookFailed         Event = "hook_failed"         // a hook failed, timed out or answered nonsense
	TornTail           Event = "torn_tail"           // a half-written end of the log was set aside
)

// Events returns all events there are.
func Events() []Event {
	return []Event{
		Decision, ApprovalCreated, ApprovalAnswered, ApprovalExpired, ApprovalSuperseded, Claimed, Completed,
		Interrupted, CorrectionRefused, PolicyWritten, PolicyUndone, BreakerTripped, HookFailed, TornTail,
	}
}

// Entry says what happened, without its place in the chain. It is a plain
// value; all fields are written always, empty or not (audit-07).
type Entry struct {
	Event Event     `json:"event"`
	Time  time.Time `json:"time"` // written in UTC

	Session   string `json:"session"`
	Turn      string `json:"turn"`
	Item      string `json:"item"` // id of the plan item or approval
	CallID    string `json:"call_id"`
	Provider  string `json:"provider"`
	Operation string `json:"operation"`
	Kind      string `json:"kind"` // "" if unspecified
	Risk      string `json:"risk"` // "" if unspecified
	Profile   string `json:"profile"`

	// Decision is deny, ask or allow. An entry without DecidedBy is about no
	// decision; it then says deny, which means nothing.
	Decision plangate.Action `json:"decision"`
	// MatchedAction is what the deciding block said. It differs from Decision
	// after a downgrade or a hook (audit-11).
	MatchedAction plangate.Action       `json:"matched_action"`
	Downgraded    bool                  `json:"downgraded"` // set by Seal from Downgrade
	Downgrade     plangate.Downgrade    `json:"downgrade"`
	DecidedBy     string                `json:"decided_by"`
	Rule          plangate.Rule         `json:"rule"`
	Reason        string                `json:"reason"`
	Unknown       plangate.List[string] `json:"unknown"`
	Policy        string                `json:"policy"` // fingerprint of the table that decided
	Grant         string                `json:"grant"`  // name of the held grant that the call is an instance of, or ""

	Actor   string `json:"actor"` // who did it: a human, a hook, the gate
	Scope   string `json:"scope"` // of an answer: once, session, always
	Message string `json:"message"`
	State   string `json:"state"` // of the item after this step

	Harness string `json:"harness"`  // recorded, never decided on
	CLITool string `json:"cli_tool"` // the harness's own name of the tool

	InputDigest string `json:"input_digest"` // of the raw input: sha256:…
	// Input is masked and bounded by Seal; null if there is none.
	Input       json.RawMessage `json:"input"`
	InputMasked bool            `json:"input_masked"` // something in Input was masked

	// Sensitive are JSON pointers into Input whose values Seal masks whatever
	// they look like, as from [SensitivePointers]. They are not written.
	Sensitive []string `json:"-"`
}

// Decided returns the entry for a decision on a call. Time, session, turn, item,
// policy, actor, harness and pointers to sensitive values are the caller's to add.
func Decided(call plangate.Call, decision plangate.Decision) Entry {
	outcome := decision.Outcome()
	entry := Entry{
		Event: Decision, CallID: call.ID, Provider: call.Provider, Operation: call.Operation, Profile: call.Profile,
		Decision: outcome.Action, MatchedAction: outcome.MatchedAction, Downgrade: outcome.Downgrade,
		Downgraded: outcome.Downgrade != plangate.DowngradeNone,
		DecidedBy:  outcome.DecidedBy, Rule: outcome.Rule, Reason: outcome.Reason,
		Unknown:     slices.Clone(outcome.Unknown),
		InputDigest: Digest(call.Input), Input: call.Input,
	}
	if call.Kind != plangate.KindUnspecified {
		entry.Kind = call.Kind.String()
	}
	if call.Risk != plangate.RiskUnspecified {
		entry.Risk = call.Risk.String()
	}
	if outcome.Rule.Type == plangate.RuleGrant {
		entry.Grant = outcome.Rule.Name
	}
	return entry
}

// Digest returns "sha256:" and the hexadecimal SHA-256 of the bytes of an input,
// or "" if there is none.
func Digest(input []byte) string {
	if len(input) == 0 {
		return ""
	}
	sum := sha256.Sum256(input)
	return digestPrefix + hex.EncodeToString(sum[:])
}

const digestPrefix = "sha256:"

// Mode says what a gate does when a record cannot be written. The zero value is
// [Required].
type Mode uint8

// The modes. Required refuses the step that cannot be recorded; best effort goes
// on and reports the failure.
const (
	Required Mode = iota
	BestEffort
)

// ParseMode returns the mode for one of required, best_effort.
func ParseMode(text string) (Mode, error) {
	switch text {
	case "required":
		return Required, nil
	case "best_effort":
		return BestEffort, nil
	default:
		return Required, fmt.Errorf("audit: unknown mode %.64q; want required or best_effort", text)
	}
}

// String returns the word used in agent.hcl.
func (m Mode) String() string {
	if m == BestEffort {
		return "best_effort"
	}
	return "required"
}
