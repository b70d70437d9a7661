package audit

import (
	"encoding"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/plangate/plangate"
)

const hexDigits = "0123456789abcdef"

// appendASCII appends JSON text with everything that is not printable ASCII as
// an escape. Which characters can be seen depends on the version of Unicode;
// this does not, so the encoding of a record is the same everywhere.
func appendASCII(out, text []byte) []byte {
	for len(text) > 0 {
		if text[0] >= ' ' && text[0] <= '~' {
			out = append(out, text[0])
			text = text[1:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			out = appendUnit(appendUnit(out, high), low)
		} else {
			out = appendUnit(out, r)
		}
	}
	return out
}

func appendUnit(out []byte, unit rune) []byte {
	return append(out, '\\', 'u', hexDigits[unit>>12&15], hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15])
}

// escapedLen is how many bytes a character takes in an encoded string.
func escapedLen(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t', r == '\b', r == '\f':
		return 2
	case r >= ' ' && r <= '~':
		return 1
	case r > 0xffff:
		return 12
	default:
		return 6
	}
}

// clean returns the entry as it may be written: masked, bounded, valid.
func (e Entry) clean() Entry {
	e.Time = cleanTime(e.Time)
	e.Decision = orZero(e.Decision)
	e.MatchedAction = orZero(e.MatchedAction)
	e.Downgrade = orZero(e.Downgrade)
	e.Downgraded = e.Downgrade != plangate.DowngradeNone
	e.Rule.Type = orZero(e.Rule.Type)
	e.Rule.Layer = orZero(e.Rule.Layer)
	e.Input, e.InputMasked = cleanInput(e.Input, e.Sensitive, e.InputMasked)
	e.Sensitive = nil
	for _, text := range []*string{&e.Reason, &e.Message, &e.Actor} {
		*text, _ = MaskText(*text)
	}
	event := string(e.Event)
	for _, text := range []*string{
		&event, &e.Session, &e.Turn, &e.Item, &e.CallID, &e.Provider, &e.Operation, &e.Kind, &e.Risk, &e.Profile,
		&e.DecidedBy, &e.Rule.Name, &e.Rule.File, &e.Reason, &e.Policy, &e.Grant, &e.Actor, &e.Scope, &e.Message,
		&e.State, &e.Harness, &e.CLITool, &e.InputDigest,
	} {
		*text = boundText(*text)
	}
	e.Event = Event(event)
	e.Unknown = cleanList(e.Unknown)
	return e
}

// cleanTime returns a time in UTC that JSON can hold.
func cleanTime(t time.Time) time.Time {
	t = t.UTC().Round(0)
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// orZero returns the zero value, which for an action is deny, in place of one
// that has no word.
func orZero[T encoding.TextMarshaler](value T) T {
	if _, err := value.MarshalText(); err != nil {
		var zero T
		return zero
	}
	return value
}

// cleanList bounds a list as a whole.
func cleanList(list []string) []string {
	room := MaxTextBytes
	cleaned := make([]string, 0, len(list))
	for i, text := range list {
		text = boundText(text)
		if room -= encodedLen(text) + len(`"",`); room < 0 {
			return append(cleaned[:max(i-1, 0)], fmt.Sprintf("[and %d more]", len(list)-max(i-1, 0)))
		}
		cleaned = append(cleaned, text)
	}
	return cleaned
}

func encodedLen(text string) int {
	n := 0
	for _, r := range text {
		n += escapedLen(r)
	}
	return n
}

// boundText makes text valid UTF-8, with other bytes as \xff, and cuts it to
// MaxTextBytes.
func boundText(text string) string {
	text = validText(text)
	if len(text) <= MaxTextBytes/12 || encodedLen(text) <= MaxTextBytes {
		return text
	}
	end := fmt.Sprintf("[cut: %d bytes in all]", len(text))
	return head(text, MaxTextBytes-len(end)) + end
}

// head returns as much of the beginning as fits into limit encoded bytes.
func head(text string, limit int) string {
	for i, r := range text {
		if limit -= escapedLen(r); limit < 0 {
			return text[:i]
		}
	}
	return text
}

func validText(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&out, `\x%02x`, text[0])
		} else {
			out.WriteString(text[:size])
		}
		text = text[size:]
	}
	return out.String()
}

// cutInput stands in a record for an input that is too long for it.
type cutInput struct {
	Cut    bool   `json:"cut"`
	Bytes  int    `json:"bytes"`  // of the masked input
	Digest string `json:"digest"` // of the masked input
	Head   string `json:"head"`   // its beginning
}

// cleanInput masks an input and cuts it to MaxInputBytes.
func cleanInput(input json.RawMessage, sensitive []string, before bool) (json.RawMessage, bool) {
	if len(input) == 0 || string(input) == "null" {
		return json.RawMessage("null"), before
	}
	masked, found := Mask(input, sensitive)
	if len(masked) <= MaxInputBytes {
		return masked, found || before
	}
	cut := cutInput{Cut: true, Bytes: len(masked), Digest: Digest(masked)}
	// The beginning is a text of its own, in which quotes are escaped.
	cut.Head, _ = MaskText(head(string(masked), MaxInputBytes-1<<10))
	cut.Head = head(cut.Head, MaxInputBytes-1<<10)
	line, err := encode(cut)
	if err != nil {
		return json.RawMessage("null"), true
	}
	return line, found || before
}
