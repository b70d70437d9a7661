package harness

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// maxReason bounds a reason in bytes; the shortest limit of a CLI is 10,000 characters.
const maxReason = 8 << 10

// object writes one JSON object without the escapes that only HTML needs.
func object(value any) Output {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil { // a corrected input that is no JSON
		return stop(reasonOf())
	}
	return Output{Stdout: bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))}
}

// silence is no opinion.
func silence() Output { return Output{Stdout: []byte("{}")} }

// stop denies by exit code, for events whose answer nobody knows and CLIs that read no
// answer.
func stop(reason string) Output { return Output{Stderr: []byte(clip(reason) + "\n"), Code: 2} }

// clip bounds a text and makes it valid.
func clip(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= maxReason {
		return text
	}
	end := maxReason
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// reason returns the text for the model.
func (a *Answer) reason() string { return clip(reasonOf(a.Reason, a.Notice)) }

// notice returns the text for the human.
func (a *Answer) notice() string { return clip(reasonOf(a.Notice, a.Reason)) }

// apart returns the notice if it says something else than the reason, else "".
func (a *Answer) apart() string {
	if a.Notice == "" || a.Notice == a.Reason {
		return ""
	}
	return a.notice()
}

// nested is the answer in the form of Claude Code, which three CLIs read.
type nested struct {
	Specific specific `json:"hookSpecificOutput"`
	System   string   `json:"systemMessage,omitempty"`
}

type specific struct {
	Event    string          `json:"hookEventName"`
	Decision string          `json:"permissionDecision,omitempty"`
	Reason   string          `json:"permissionDecisionReason,omitempty"`
	Input    json.RawMessage `json:"updatedInput,omitempty"`
	Behavior *behavior       `json:"decision,omitempty"`
}

// behavior answers a PermissionRequest.
type behavior struct {
	Behavior string          `json:"behavior"`
	Message  string          `json:"message,omitempty"`
	Input    json.RawMessage `json:"updatedInput,omitempty"`
}
