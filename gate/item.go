package gate

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/eval"
)

// Item is one call of a plan with its snapshot: what was known of the operation when
// the plan was made. Later changes of policy, catalog or provider never alter the
// snapshot (seed plan-apply-gate). It is a plain value; the JSON form is that of the
// wire (spec gate.md).
type Item struct {
	// ID is random and has 128 bits: it cannot be guessed from anything the model
	// supplies. It is also the id of the approval if the item waits.
	ID      string `json:"id"`
	Plan    string `json:"plan"`
	Session string `json:"session"`
	Turn    string `json:"turn"`
	Index   int    `json:"index"` // place in the plan, from 0

	// Call is what runs. Its input is the corrected one after a correction.
	Call plangate.Call `json:"call"`
	// Original is the input that the model wrote, if it was corrected.
	Original json.RawMessage `json:"original_input,omitempty"`

	// Kind and Risk are those of the snapshot: what the call and the catalog say, the
	// stricter if they differ. A kind that nobody states is resource; a risk may stay
	// unspecified.
	Kind        plangate.Kind `json:"kind"`
	Risk        plangate.Risk `json:"risk,omitzero"`
	Description string        `json:"description"`
	// Preview is what the provider says the call would do, verbatim. Resource items
	// only; without one, show the input.
	Preview json.RawMessage `json:"preview,omitempty"`
	// Asked is the digest of what the model asked for, before any hook or human
	// changed it.
	Asked string `json:"asked"`
	// Digest names exactly what is to run: provider, operation, kind, risk and
	// canonical input (spec GAT-9). A verdict must carry it.
	Digest string `json:"digest"`
	// ConcurrencyKey orders execution: items with the same key run one after the
	// other, in plan order; items with different keys may run side by side.
	ConcurrencyKey string `json:"concurrency_key"`

	Decision  Decision `json:"decision"`
	DecidedBy string   `json:"decided_by"`
	// Policy is the fingerprint of the table that decided, Outcome what it said.
	Policy  string           `json:"policy"`
	Outcome plangate.Outcome `json:"outcome"`

	State  State  `json:"state"`
	Ending Ending `json:"ending"`
	// Text is the tool result that the model gets for a denied or interrupted item,
	// Note what is attached to the result of an allowed one.
	Text string `json:"text"`
	Note string `json:"note"`

	// Hold is batch if the item has to wait until no item of its plan waits.
	Hold eval.Hold `json:"hold"`
	// Prompt and Channel are what the decision hook wants a human to be asked, and
	// where. They are data from outside: escape before showing.
	Prompt  string `json:"prompt"`
	Channel string `json:"channel"`

	// Created is when the plan was made, and a nanosecond later for each item before
	// this one, so that lists are in plan order.
	Created  time.Time     `json:"created"`
	Expires  time.Time     `json:"expires,omitzero"` // waiting items only
	OnExpire eval.OnExpire `json:"on_expire"`

	Answer *Answer `json:"answer,omitempty"`
	// Sensitive are the arguments that the operation's schema calls secret, as JSON
	// pointers: they are masked in all records of the item.
	Sensitive []string `json:"sensitive,omitempty"`
	// Remember are the keys under which a session verdict on this item is kept.
	Remember []string `json:"remember"`

	Claimed time.Time `json:"claimed,omitzero"`
	Epoch   int       `json:"epoch"` // of the session when it was claimed
	Ended   time.Time `json:"ended,omitzero"`
	Result  *Result   `json:"result,omitempty"`
}

// Answer is a verdict that was applied.
type Answer struct {
	Decision       plangate.Action `json:"decision"` // allow or deny
	Scope          Scope           `json:"scope"`
	Actor          string          `json:"actor"`
	Message        string          `json:"message"`
	Digest         string          `json:"digest"` // what was shown
	CorrectedInput json.RawMessage `json:"corrected_input,omitempty"`
	At             time.Time       `json:"at"`
	// Epoch is that of the session when the answer was given: a session verdict
	// counts in this epoch only.
	Epoch int `json:"epoch"`
	// Written says where a verdict for always went, as file:line.
	Written string `json:"written"`
}

// same reports whether a verdict says just what was answered.
func (a *Answer) same(v *Verdict) bool {
	return a.Decision == v.Decision && a.Scope == v.Scope && a.Actor == v.Actor && a.Message == v.Message &&
		a.Digest == v.Digest && sameJSON(a.CorrectedInput, v.CorrectedInput)
}

func sameJSON(a, b json.RawMessage) bool {
	one, err := canonical(a)
	other, otherErr := canonical(b)
	return err == nil && otherErr == nil && bytes.Equal(one, other)
}

// Result is what running a call gave. Exactly one of Output and Error is set.
type Result struct {
	Output json.RawMessage `json:"output,omitempty"` // any JSON value
	Error  string          `json:"error,omitempty"`
	// Crashed says that the provider died, which counts towards the circuit breaker.
	Crashed bool `json:"crashed,omitempty"`
}
