package decisionhook

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/plangate/plangate"
)

// Version is the version of the JSON form of questions and answers.
const Version = 1

// Question is what a hook is asked about one call. It is a plain value.
type Question struct {
	ID      string // of the call; see [Question.Key]
	Session string
	Turn    string
	Item    string // of the plan
	Call    plangate.Call
	// Decision holds until the hook answers.
	Decision plangate.Decision
	// Deadline is when the hook is abandoned. [Hook.Decide] sets it.
	Deadline time.Time
}

// Asker puts a question to a hook. It returns soon after ctx ends, and is safe for
// concurrent use. An answer is only an answer if the error is nil.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Func is a hook in Go. A nil answer without an error allows. It should return when ctx
// ends; see the package comment for one that does not.
type Func func(ctx context.Context, q Question) (*Answer, error)

// Ask implements [Asker].
func (f Func) Ask(ctx context.Context, q Question) (Answer, error) {
	answer, err := f(ctx, q)
	switch {
	case err != nil:
		return Answer{}, err
	case answer == nil:
		return Answer{Decision: plangate.Allow}, nil
	default:
		return *answer, answer.check()
	}
}

// Key identifies the question: the hexadecimal digest of session, turn, call id and the call
// without its time. Two questions that may get the same answer have the same key, also in
// another process. The order of keys in the input does not matter.
func (q Question) Key() string {
	digest := q.digest()
	return hex.EncodeToString(digest[:])
}

func (q Question) digest() [sha256.Size]byte {
	call := q.Call
	parts := [...]string{
		q.Session, q.Turn, q.ID, call.Provider, call.Operation, call.Kind.String(), call.Risk.String(),
		call.ProducerCategory.String(), call.Profile, call.Cwd, call.Workspace, call.Home,
		canonical(call.Input), canonical(call.Session), canonical(call.Caller),
	}
	hash := sha256.New()
	var length [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		hash.Write(length[:])
		hash.Write([]byte(part))
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// canonical sorts the keys of JSON. What is spelled differently in spite of that counts as
// another question, which is asked again; so does what is not JSON.
func canonical(text json.RawMessage) string {
	if plangate.CheckJSON(text) != nil {
		return string(text)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(text)
	}
	sorted, err := json.Marshal(value)
	if err != nil {
		return string(text)
	}
	return string(sorted)
}

// MarshalJSON writes the form in the package comment.
func (q Question) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Version    int               `json:"version"`
		CallID     string            `json:"call_id"`
		Session    string            `json:"session"`
		Turn       string            `json:"turn"`
		Item       string            `json:"item"`
		Call       plangate.Call     `json:"call"`
		Decision   plangate.Decision `json:"decision"`
		DeadlineAt string            `json:"deadline_at"`
	}{Version, q.ID, q.Session, q.Turn, q.Item, q.Call, q.Decision, deadlineText(q.Deadline)})
}

func deadlineText(deadline time.Time) string { return deadline.UTC().Format(time.RFC3339Nano) }

// encode returns the question as one line of JSON.
func (q Question) encode() ([]byte, error) {
	text, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("decisionhook: the question cannot be written as JSON: %w", err)
	}
	return append(text, '\n'), nil
}
