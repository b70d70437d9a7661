package plangate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of every JSON text that this package reads (spec FMT-2).
const (
	MaxJSONBytes = 4 << 20 // bytes of one JSON text
	MaxJSONDepth = 128     // nested objects and arrays
)

var callKeys = []string{
	"id", "kind", "provider", "operation", "risk", "input", "producer_category",
	"profile", "cwd", "workspace", "home", "session", "caller", "time",
}

// ParseCall reads one call from JSON (spec FMT-4). It refuses what a lenient
// decoder would guess at: unknown or doubled keys at any depth, keys in another
// case, null, half a surrogate pair, text that is not UTF-8, text after the
// object, a wrong type, a cwd that is not absolute, and anything past
// [MaxJSONBytes] or [MaxJSONDepth].
//
// On error the returned call still carries the id if that much could be read,
// so that an answer can be addressed (spec FMT-6).
func ParseCall(text []byte) (Call, error) {
	var call Call
	if err := call.parse(text); err != nil {
		return Call{ID: looseID(text)}, fmt.Errorf("plangate: invalid call: %w", err)
	}
	return call, nil
}

// InvalidCall returns the decision on a text that [ParseCall] refused: deny, by
// builtin:invalid_call, with the error as the reason (spec FMT-6).
func InvalidCall(id string, err error) Decision {
	rule := Rule{Type: RuleBuiltin, Name: "invalid_call"}
	return NewDecision(id, &Outcome{DecidedBy: rule.DecidedBy(), Reason: err.Error(), Rule: rule})
}

func (c *Call) parse(text []byte) error {
	if err := CheckJSON(text); err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return errors.New("want a JSON object")
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if err := c.setMember(key, members[key]); err != nil {
			return err
		}
	}
	if c.Operation == "" {
		return errors.New(`key "operation" is missing or empty`)
	}
	return nil
}

// setMember decodes one member of a call. Members are decoded one by one
// because encoding/json would take a key in another case for ours.
func (c *Call) setMember(key string, value json.RawMessage) error {
	target := c.member(key)
	switch {
	case target == nil:
		return fmt.Errorf("unknown key %.64q; want one of %s", key, strings.Join(callKeys, ", "))
	case string(value) == "null":
		return fmt.Errorf("key %q is null; leave it out instead", key)
	}
	_, object := target.(*json.RawMessage)
	if object && value[0] != '{' {
		return fmt.Errorf("key %q: want a JSON object", key)
	}
	if instant, ok := target.(*time.Time); ok {
		return setTime(instant, value)
	}
	err := json.Unmarshal(value, target)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("key %q: want a string, not %s", key, wrong.Value)
	}
	if err != nil {
		return fmt.Errorf("key %q: %s", key, strings.TrimPrefix(err.Error(), "plangate: "))
	}
	return checkDir(key, target)
}

// checkDir refuses a directory that is not absolute.
func checkDir(key string, value any) error {
	dir, _ := value.(*string)
	switch key {
	case "cwd", "workspace", "home":
		if !isAbsolute(*dir) {
			return fmt.Errorf("key %q: want an absolute path without NUL", key)
		}
	}
	return nil
}

// setTime is apart because encoding/json takes times that are not of RFC 3339.
func setTime(into *time.Time, value json.RawMessage) error {
	var text string
	if json.Unmarshal(value, &text) == nil {
		if instant, err := ParseTime(text); err == nil {
			*into = instant
			return nil
		}
	}
	return errors.New(`key "time": want a time such as 2026-01-31T09:00:00Z`)
}

// isAbsolute goes by the form of a path alone, Unix and Windows, whatever the
// system: the host may run on another one.
func isAbsolute(path string) bool {
	switch {
	case strings.ContainsRune(path, 0):
		return false
	case strings.HasPrefix(path, "/"), strings.HasPrefix(path, `\\`):
		return true
	case len(path) < 3 || path[1] != ':' || path[2] != '\\' && path[2] != '/':
		return false
	}
	drive := path[0] | 0x20
	return 'a' <= drive && drive <= 'z'
}

// member returns where the value of a key goes, or nil for an unknown key.
func (c *Call) member(key string) any {
	switch key {
	case "id":
		return &c.ID
	case "kind":
		return &c.Kind
	case "provider":
		return &c.Provider
	case "operation":
		return &c.Operation
	case "risk":
		return &c.Risk
	case "input":
		return &c.Input
	case "producer_category":
		return &c.ProducerCategory
	case "profile":
		return &c.Profile
	case "cwd":
		return &c.Cwd
	case "workspace":
		return &c.Workspace
	case "home":
		return &c.Home
	case "session":
		return &c.Session
	case "caller":
		return &c.Caller
	case "time":
		return &c.Time
	default:
		return nil
	}
}

// looseID reads the id out of a text that is not a valid call, which may end
// anywhere or go on for long. An id that stands twice is no id.
func looseID(text []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(text[:min(len(text), MaxJSONBytes)]))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	var id string
	for seen := false; decoder.More(); {
		key, err := decoder.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			break
		}
		if key != "id" {
			continue
		}
		if seen || json.Unmarshal(value, &id) != nil {
			return ""
		}
		seen = true
	}
	return id
}

// CheckJSON reports why text is not exactly one JSON value within the limits
// (spec FMT-2): it must be UTF-8 without a byte order mark, at most
// [MaxJSONBytes] long and [MaxJSONDepth] deep, no object in it may have the
// same key twice, and no string half a surrogate pair.
func CheckJSON(text []byte) error {
	switch {
	case len(text) > MaxJSONBytes:
		return fmt.Errorf("JSON text is longer than %d bytes", MaxJSONBytes)
	case !utf8.Valid(text):
		return errors.New("JSON text is not UTF-8")
	case bytes.HasPrefix(text, []byte("\ufeff")):
		return errors.New("JSON text begins with a byte order mark")
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("JSON text is empty")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := checkTokens(decoder); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("unexpected text after the JSON value")
	}
	if i := HalfSurrogate(text); i >= 0 {
		return fmt.Errorf("half a surrogate pair %s at byte %d", text[i:i+6], i)
	}
	return nil
}

// scope is an open object or array while tokens are walked.
type scope struct {
	keys    map[string]bool // nil for an array
	wantKey bool
}

// checkTokens reads one value off the decoder without recursion.
func checkTokens(decoder *json.Decoder) error {
	var open []scope
	for {
		token, err := decoder.Token()
		if err != nil {
			return jsonError(err)
		}
		if top := len(open) - 1; top >= 0 && open[top].wantKey {
			if key, ok := token.(string); ok {
				if open[top].keys[key] {
					return fmt.Errorf("key %.64q stands twice in one object", key)
				}
				open[top].keys[key] = true
				open[top].wantKey = false
				continue
			}
		}
		switch token {
		case json.Delim('{'):
			open = append(open, scope{keys: map[string]bool{}, wantKey: true})
		case json.Delim('['):
			open = append(open, scope{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if len(open) > MaxJSONDepth {
			return fmt.Errorf("JSON text is nested deeper than %d", MaxJSONDepth)
		}
		if len(open) == 0 {
			return nil
		}
		top := &open[len(open)-1]
		if delim, ok := token.(json.Delim); !ok || delim == '}' || delim == ']' {
			top.wantKey = top.keys != nil
		}
	}
}

func jsonError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("JSON text ends in the middle of a value")
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("%w at byte %d", err, syntax.Offset)
	}
	return err
}
