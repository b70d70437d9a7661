package gate

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/fstest"
)

func TestDifferences(t *testing.T) {
	tests := []struct {
		want, got string
		count     int
	}{
		{`{"a": 1}`, `{"a": 1.0, "b": 2}`, 0},
		{`{"a": 1}`, `{"b": 1}`, 1},
		{`{"a": 1, "b": 2}`, `{"a": 2, "b": 1}`, 2},
		{`{"a": "1"}`, `{"a": 1}`, 1},
		{`{"a": null}`, `{}`, 1},
		{`{"a": null}`, `{"a": null}`, 0},
		{`{"a": 9007199254740993}`, `{"a": 9007199254740992}`, 1},
		{`{"a": 1e999999999}`, `{"a": 1e999999998}`, 1},
		{`[1, 2]`, `[1, 2, 3]`, 1},
		{`[]`, `[1]`, 1},
		{`[]`, `{}`, 1},
		{`[{}]`, `[{"a": 1}]`, 0},
		{`{"a": {"$absent": true}}`, `{}`, 0},
		{`{"a": {"$absent": true}}`, `{"a": null}`, 1},
		{`{"a": {"$not": 1}}`, `{"a": 1}`, 1},
		{`{"a": {"$not": 1}}`, `{"a": 2}`, 0},
		{`{"a": {"$not": 1}}`, `{}`, 1},
		{`{"a": {"$length": 2}}`, `{"a": [1, 2]}`, 0},
		{`{"a": {"$length": 2}}`, `{"a": [1]}`, 1},
		{`{"a": {"$length": 2}}`, `{"a": {}}`, 1},
		{`{"a": {"$contains": ["x", "y"]}}`, `{"a": "yx"}`, 0},
		{`{"a": {"$contains": ["x", "y"]}}`, `{"a": "x"}`, 1},
		{`{"a": {"$contains": []}}`, `{"a": "x"}`, 1},
		{`{"a": {"$lacks": "x"}}`, `{"a": "yx"}`, 1},
		{`{"a": {"$once": "x"}}`, `{"a": "xx"}`, 1},
		{`{"a": {"$once": "x"}}`, `{"a": "xy"}`, 0},
		{`{"a": {"$typo": "x"}}`, `{"a": "x"}`, 1},
	}
	for _, tt := range tests {
		want, err := decode(json.RawMessage(tt.want))
		got, err2 := decode(json.RawMessage(tt.got))
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if found := differences("x", want, got); len(found) != tt.count {
			t.Errorf("%s against %s: %q, want %d", tt.want, tt.got, found, tt.count)
		}
	}
}

func TestVectorFilesAreStrict(t *testing.T) {
	const good = `{"policy": {}, "vectors": [{"name": "a", "about": "b", "covers": ["c"], "steps": [{"call": "open"}]}]}`
	if vectors, err := parse([]byte(good)); err != nil || len(vectors) != 1 {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"no JSON":       `{`,
		"unknown key":   `{"policy": {}, "vectors": [{"name": "a", "about": "b", "covers": ["c"], "step": []}]}`,
		"key twice":     `{"policy": {}, "policy": {}, "vectors": []}`,
		"two values":    good + `{}`,
		"no policy":     `{"vectors": [{"name": "a", "about": "b", "covers": ["c"], "steps": [{"call": "open"}]}]}`,
		"no steps":      `{"policy": {}, "vectors": [{"name": "a", "about": "b", "covers": ["c"], "steps": []}]}`,
		"two actions":   `{"policy": {}, "vectors": [{"name": "a", "about": "b", "covers": ["c"], "steps": [{"call": "open", "restart": true}]}]}`,
		"no action":     `{"policy": {}, "vectors": [{"name": "a", "about": "b", "covers": ["c"], "steps": [{"want": {}}]}]}`,
		"want and fail": `{"policy": {}, "vectors": [{"name": "a", "about": "b", "covers": ["c"], "steps": [{"call": "open", "want": {}, "error": "x"}]}]}`,
		"started want":  `{"policy": {}, "vectors": [{"name": "a", "about": "b", "covers": ["c"], "steps": [{"call": "open", "start": "x", "want": {}}]}]}`,
		"same name": `{"policy": {}, "vectors": [{"name": "a", "about": "b", "covers": ["c"], "steps": [{"call": "open"}]},
			{"name": "a", "about": "b", "covers": ["c"], "steps": [{"call": "open"}]}]}`,
	} {
		if _, err := readAll(fstest.MapFS{"vectors/x.json": {Data: []byte(text)}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// liar answers everything alike.
type liar struct {
	result string
	err    error
}

func (l liar) Start(context.Context) (Kernel, error)              { return l, nil }
func (l liar) SetPolicy(json.RawMessage) error                    { return nil }
func (l liar) Records(context.Context) ([]json.RawMessage, error) { return []json.RawMessage{}, nil }
func (l liar) Kill() error                                        { return nil }
func (l liar) Call(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(l.result), l.err
}

// TestEveryVectorCanFail: no vector is content with a kernel that knows nothing.
func TestEveryVectorCanFail(t *testing.T) {
	vectors, err := Vectors()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		for _, kernel := range []liar{{result: `{}`}, {result: `{"items": [], "state": "ready"}`}, {result: `{`}, {err: &Error{Code: "internal"}}, {err: errScript}} {
			if len(Run(context.Background(), kernel, v)) == 0 {
				t.Errorf("%s passes with %+v", v.Name, kernel)
			}
		}
	}
}
