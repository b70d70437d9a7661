package decisionhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/plangate/plangate"
)

// MaxAnswerBytes bounds the JSON of an answer, and the texts of one from Go together.
const MaxAnswerBytes = 1 << 20

// Answer is what a hook says. The zero Answer denies.
type Answer struct {
	Decision plangate.Action // allow, ask or deny
	// Message is for the model: the reason of a denial, or a note.
	Message string
	// Prompt and Channel go with an ask: what the human is asked, and where.
	Prompt  string
	Channel string
}

// ParseAnswer reads an answer strictly; see the package comment.
func ParseAnswer(text []byte) (Answer, error) {
	answer, err := parseAnswer(text)
	if err != nil {
		return Answer{}, fmt.Errorf("decisionhook: invalid answer: %w", err)
	}
	return answer, nil
}

func parseAnswer(text []byte) (Answer, error) {
	var answer Answer
	if len(text) > MaxAnswerBytes {
		return answer, errTooLong
	}
	if err := plangate.CheckJSON(text); err != nil {
		return answer, err
	}
	var word string
	var ask json.RawMessage
	err := members(text, map[string]any{"decision": &word, "message": &answer.Message, "ask": &ask})
	if err != nil {
		return answer, err
	}
	if answer.Decision, err = decisionWord(word); err != nil || ask == nil {
		return answer, err
	}
	if answer.Decision != plangate.Ask {
		return answer, fmt.Errorf(`key "ask" does not go with decision %q`, word)
	}
	if err := members(ask, map[string]any{"prompt": &answer.Prompt, "channel": &answer.Channel}); err != nil {
		return answer, fmt.Errorf(`key "ask": %w`, err)
	}
	return answer, nil
}

func decisionWord(word string) (plangate.Action, error) {
	switch word {
	case "allow":
		return plangate.Allow, nil
	case "ask":
		return plangate.Ask, nil
	case "deny":
		return plangate.Deny, nil
	case "":
		return plangate.Deny, errors.New(`key "decision" is missing; want {"decision": "allow"}, "ask" or "deny"`)
	default:
		return plangate.Deny, fmt.Errorf(`key "decision" is %.64q; want allow, ask or deny`, word)
	}
}

// members decodes the members of an object, all of which must be known and not null.
// Keys are taken as they are: encoding/json would take one in another case for ours.
func members(text []byte, into map[string]any) error {
	var found map[string]json.RawMessage
	if err := json.Unmarshal(text, &found); err != nil || found == nil {
		return errors.New("want a JSON object")
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		target, ok := into[key]
		switch {
		case !ok:
			return fmt.Errorf("unknown key %.64q; want some of %q", key, slices.Sorted(maps.Keys(into)))
		case string(found[key]) == "null":
			return fmt.Errorf("key %q is null; leave it out instead", key)
		}
		if err := json.Unmarshal(found[key], target); err != nil {
			return fmt.Errorf("key %q has a value of the wrong type", key)
		}
	}
	return nil
}

var errTooLong = fmt.Errorf("it is longer than %d bytes", MaxAnswerBytes)

// check reports why an answer made in Go is none.
func (a Answer) check() error {
	for _, text := range [...]string{a.Message, a.Prompt, a.Channel} {
		if !utf8.ValidString(text) {
			return errors.New("decisionhook: invalid answer: its text is not UTF-8")
		}
	}
	switch {
	case a.size() > MaxAnswerBytes:
		return fmt.Errorf("decisionhook: invalid answer: %w", errTooLong)
	case a.Decision != plangate.Allow && a.Decision != plangate.Ask && a.Decision != plangate.Deny:
		return fmt.Errorf("decisionhook: invalid answer: decision %v; want allow, ask or deny", a.Decision)
	case a.Decision != plangate.Ask && a.Prompt+a.Channel != "":
		return fmt.Errorf("decisionhook: invalid answer: a prompt or channel does not go with %v", a.Decision)
	}
	return nil
}

func (a Answer) size() int { return len(a.Message) + len(a.Prompt) + len(a.Channel) }
