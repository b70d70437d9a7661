package plangate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of every JSON text that this package reads (spec FMT-2).
const (
	MaxJSONBytes = 4 << 20 // bytes of one JSON text
	MaxJSONDepth = 128     // nested objects and arrays
)

var callKeys = []string{
	"id", "kind", "provider", "operation", "risk", "input", "producer_category",
	"profile", "cwd", "session", "caller", "time",
}

// ParseCall reads one call from JSON (spec FMT-4). It refuses what a lenient
// decoder would guess at: unknown or doubled keys at any depth, keys in another
// case, null, text that is not UTF-8, text after the object, a wrong type, and
// anything past [MaxJSONBytes] or [MaxJSONDepth].
//
// On error the returned call still carries the id if that much could be read,
// so that an answer can be addressed.
func ParseCall(text []byte) (Call, error) {
	var call Call
	err := parseCall(text, &call)
	if err != nil {
		return Call{ID: looseID(text)}, fmt.Errorf("plangate: invalid call: %w", err)
	}
	return call, nil
}

func parseCall(text []byte, call *Call) error {
	if err := CheckJSON(text); err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return errors.New("want a JSON object")
	}
	for key, value := range members {
		if !slices.Contains(callKeys, key) {
			return fmt.Errorf("unknown key %q; want one of %s", key, strings.Join(callKeys, ", "))
		}
		if string(value) == "null" {
			return fmt.Errorf("key %q is null; leave it out instead", key)
		}
	}
	for _, key := range []string{"input", "session", "caller"} {
		if value, ok := members[key]; ok && !bytes.HasPrefix(bytes.TrimSpace(value), []byte("{")) {
			return fmt.Errorf("key %q: want a JSON object", key)
		}
	}
	if err := json.Unmarshal(text, call); err != nil {
		return err
	}
	if call.Operation == "" {
		return errors.New(`key "operation" is missing or empty`)
	}
	return nil
}

// looseID reads the id out of a text that is not a valid call.
func looseID(text []byte) string {
	if len(text) > MaxJSONBytes {
		return ""
	}
	var holder struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(text, &holder) != nil {
		return ""
	}
	return holder.ID
}

// CheckJSON reports why text is not exactly one JSON value within the limits:
// it must be UTF-8, at most [MaxJSONBytes] long and [MaxJSONDepth] deep, and no
// object in it may have the same key twice.
func CheckJSON(text []byte) error {
	switch {
	case len(text) > MaxJSONBytes:
		return fmt.Errorf("JSON text of %d bytes; at most %d are read", len(text), MaxJSONBytes)
	case !utf8.Valid(text):
		return errors.New("JSON text is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := checkTokens(decoder); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("unexpected text after the JSON value")
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
					return fmt.Errorf("key %q stands twice in one object", key)
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
	return err
}
