package plangate

import (
	"encoding/json"
	"time"
)

// Call is one request to run an operation. Provider and Operation are compared
// byte for byte; names are never normalised (spec DEC-2).
//
// Input, Session and Caller hold a JSON object each, or nothing. They are not
// looked at unless a rule has a condition on them.
type Call struct {
	ID               string           `json:"id"`
	Provider         string           `json:"provider"`
	Operation        string           `json:"operation"`
	Kind             Kind             `json:"kind,omitzero"`
	Risk             Risk             `json:"risk,omitzero"`
	ProducerCategory ProducerCategory `json:"producer_category,omitzero"`
	Input            json.RawMessage  `json:"input,omitempty"`
	Profile          string           `json:"profile,omitempty"`
	// Cwd is where relative paths of the call start, Workspace where relative
	// patterns of a policy do, Home is the account's home directory. Without one,
	// what starts there is unknown (spec PTH-7).
	Cwd       string          `json:"cwd,omitempty"`
	Workspace string          `json:"workspace,omitempty"`
	Home      string          `json:"home,omitempty"`
	Session   json.RawMessage `json:"session,omitempty"`
	Caller    json.RawMessage `json:"caller,omitempty"`
	// Time is when the call is made. A rule that expires cannot be judged
	// without it: its end is then unknown (spec DEC-8).
	Time time.Time `json:"time,omitzero"`
}

// ProducerCategory says which sort of provider produced a call. It never
// changes a decision (seed plan-apply-gate).
type ProducerCategory uint8

// The producer categories; the zero value is a tool.
const (
	Tool ProducerCategory = iota
	SlashCommand
)

var producerCategoryNames = [...]string{"tool", "slashcommand"}

// String returns the word used in JSON.
func (p ProducerCategory) String() string { return nameOf(producerCategoryNames[:], int(p)) }

// MarshalText implements [encoding.TextMarshaler].
func (p ProducerCategory) MarshalText() ([]byte, error) {
	return textOf("producer category", producerCategoryNames[:], int(p))
}

// UnmarshalText implements [encoding.TextUnmarshaler]; unknown text is an error.
func (p *ProducerCategory) UnmarshalText(text []byte) error {
	i, err := indexOf("producer category", producerCategoryNames[:], string(text))
	*p = ProducerCategory(i)
	return err
}
