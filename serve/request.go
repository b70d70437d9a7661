package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plangate/plangate"
)

// request is a line that was read.
type request struct {
	id     json.RawMessage // as it was written; nil if it cannot be told
	key    string          // equal for equal ids
	method string
	params json.RawMessage
}

// parseRequest reads a line (spec SRV-3). On an error the request carries its id if
// that could be read.
func parseRequest(text []byte) (request, error) {
	var r request
	found, err := members(text)
	if err != nil {
		return r, fault(CodeInvalidRequest, "the line is no request: %v", err)
	}
	if err := r.setID(found["id"]); err != nil {
		return r, err
	}
	for key := range found {
		if !slices.Contains([]string{"id", "method", "params"}, key) {
			return r, fault(CodeInvalidRequest, "unknown key %.64q; a request has id, method and params", key)
		}
	}
	if err := plangate.CheckJSON(found["method"]); err != nil || json.Unmarshal(found["method"], &r.method) != nil || r.method == "" {
		return r, fault(CodeInvalidRequest, "key \"method\": want the name of a method")
	}
	r.params = json.RawMessage("{}")
	if params, ok := found["params"]; ok {
		if params[0] != '{' {
			return r, fault(CodeInvalidRequest, "key \"params\": want an object")
		}
		r.params = params
	}
	return r, nil
}

// setID takes a string or number as id.
func (r *request) setID(text json.RawMessage) error {
	want := fault(CodeInvalidRequest, "key \"id\": want a string or number of at most %d bytes", MaxIDBytes)
	if len(text) == 0 || len(text) > MaxIDBytes || plangate.CheckJSON(text) != nil {
		return want
	}
	var id any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&id); err != nil {
		return want
	}
	switch id := id.(type) {
	case string:
		r.key = "s" + id
	case json.Number:
		r.key = "n" + id.String()
	default:
		return want
	}
	r.id = text
	return nil
}

// members splits an object into its members, without looking into their values. No
// limit of a JSON text applies to the whole, since parts of it are texts of their own.
func members(text []byte) (map[string]json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	open, err := decoder.Token()
	if err != nil {
		return nil, notJSON(err)
	}
	if open != json.Delim('{') {
		return nil, errors.New("want a JSON object")
	}
	found := map[string]json.RawMessage{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, notJSON(err)
		}
		key, ok := token.(string)
		if !ok {
			return nil, errors.New("want a key")
		}
		if _, ok := found[key]; ok {
			return nil, fmt.Errorf("key %.64q stands twice in one object", key)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, notJSON(err)
		}
		found[key] = value
	}
	if _, err := decoder.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected text after the object")
	}
	return found, nil
}

func notJSON(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it is not complete")
	}
	return fmt.Errorf("it is not JSON: %w", err)
}

// fields are the checked members of an object. A key that reads wrongly is noted in
// err; what was read after that does not count.
type fields struct {
	values map[string]json.RawMessage
	err    error
}

// readObject reads an object with these keys. One that ends in "?" may be left out; one
// with "*" is passed on unchecked and may be null.
func readObject(what string, text []byte, keys ...string) (*fields, error) {
	found, err := members(text)
	if err != nil {
		return nil, fault(CodeInvalidParams, "%s: %v", what, err)
	}
	names := make([]string, len(keys))
	for i, key := range keys {
		name := strings.TrimRight(key, "?*")
		names[i] = name
		value, ok := found[name]
		switch {
		case !ok && strings.Contains(key, "?"):
		case !ok:
			return nil, fault(CodeInvalidParams, "%s: key %q is missing", what, name)
		case strings.Contains(key, "*"):
		case string(value) == "null":
			return nil, fault(CodeInvalidParams, "%s: key %q is null; leave it out instead", what, name)
		default:
			if err := plangate.CheckJSON(value); err != nil {
				return nil, fault(CodeInvalidParams, "%s: key %q: %v", what, name, err)
			}
		}
	}
	for key := range found {
		if !slices.Contains(names, key) {
			return nil, fault(CodeInvalidParams, "%s: unknown key %.64q; %s", what, key, wanted(names))
		}
	}
	return &fields{values: found}, nil
}

func wanted(names []string) string {
	if len(names) == 0 {
		return "there is none"
	}
	return "want some of " + strings.Join(names, ", ")
}

func (f *fields) has(key string) bool { return f.values[key] != nil }

// text returns a string, or "" if the key is not there.
func (f *fields) text(key string) (text string) {
	f.read(key, "a string", &text)
	return text
}

// flag returns true or false, false if the key is not there.
func (f *fields) flag(key string) (flag bool) {
	f.read(key, "true or false", &flag)
	return flag
}

// number returns an integer from 1 to high, or 0 if the key is not there.
func (f *fields) number(key string, high int64) (number int64) {
	if !f.has(key) {
		return 0
	}
	want := fmt.Sprintf("an integer from 1 to %d", high)
	f.read(key, want, &number)
	if f.err == nil && (number < 1 || number > high) {
		f.err = fault(CodeInvalidParams, "key %q: want %s", key, want)
	}
	return number
}

func (f *fields) read(key, want string, into any) {
	value := f.values[key]
	if value == nil || f.err != nil {
		return
	}
	if string(value) == "null" || json.Unmarshal(value, into) != nil {
		f.err = fault(CodeInvalidParams, "key %q: want %s", key, want)
	}
}

// object returns the members of an object.
func (f *fields) object(key string, keys ...string) *fields {
	inner, err := readObject(key, f.values[key], keys...)
	if err != nil {
		if f.err == nil {
			f.err = err
		}
		return &fields{}
	}
	return inner
}

// list returns the elements of an array, as they are.
func (f *fields) list(key string) []json.RawMessage {
	var list []json.RawMessage
	if text := f.values[key]; len(text) == 0 || text[0] != '[' || json.Unmarshal(text, &list) != nil {
		if f.err == nil {
			f.err = fault(CodeInvalidParams, "key %q: want an array", key)
		}
	}
	return list
}
