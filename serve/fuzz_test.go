package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/plangate/plangate"
)

func decode[T any](t testing.TB, r reply) (value T) {
	t.Helper()
	if r.Error != nil {
		t.Fatalf("%s: %s", r.Error.Code, r.Error.Message)
	}
	if err := json.Unmarshal(r.Result, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

var seeds = []string{
	`{"id":1,"method":"hello"}`, `{"id":"a","method":"open","params":{"session":"s"}}`,
	`{"id":2,"method":"plan","params":{"session":"s","turn":"t","calls":[{"id":"c","operation":"o"},{},null,1]}}`,
	`{"id":3,"method":"wait","params":{"session":"s","timeout_ms":1}}`,
	`{"id":4,"method":"resolve","params":{"item":"i","verdict":{"decision":"allow","digest":"d","actor":"a","corrected_input":{}}}}`,
	`{"id":5,"method":"complete","params":{"session":"s","item":"i","result":{"output":null}}}`,
	`{"id":6,"method":"pending","params":{"after":{"created":"2030-01-01T12:00:00Z","id":"i"},"limit":1}}`,
	`{"id":7,"method":"visible_operations","params":{"mode":"plan","template":{"cwd":"/w","session":{}}}}`,
	`{"id":8,"method":"cancel","params":{"request":3}}`, `{"id":1,"id":1}`, "\xff", "[", `{"id":1e999,"method":"hello"}`,
}

// FuzzRequest: a line is taken exactly if a strict reader of the whole line would take
// it, apart from what is inside calls.
func FuzzRequest(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRequest(text)
		if r.id != nil && plangate.CheckJSON(r.id) != nil {
			t.Fatalf("the id %q is no JSON", r.id)
		}
		if err != nil {
			return
		}
		var loose struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if err := json.Unmarshal(text, &loose); err != nil || loose.Method != r.method || loose.ID == nil {
			t.Fatalf("taken as %q, read as %q, %v", r.method, loose.Method, err)
		}
		keys := []string{"session?", "item?", "limit?"}
		fields, err := readObject("params", r.params, keys...)
		if err == nil && plangate.CheckJSON(r.params) != nil {
			t.Fatalf("params taken that are not strict JSON: %q", r.params)
		}
		if err == nil {
			_, _ = fields.text("session"), fields.number("limit", 5)
		}
	})
}

// FuzzServe: every line that is not blank gets one answer that is one line, whatever
// is in it.
func FuzzServe(f *testing.F) {
	f.Add([]byte(strings.Join(seeds, "\n")))
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	g := newGate(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		want := 0
		for line := range bytes.Lines(text) {
			if len(bytes.TrimSpace(line)) > 0 {
				want++
			}
		}
		var out bytes.Buffer
		if err := Serve(context.Background(), bytes.NewReader(text), &out, Options{Gate: g, Report: func(err error) { t.Error(err) }}); err != nil {
			t.Fatal(err)
		}
		if got := len(replies(t, out.Bytes())); got != want {
			t.Fatalf("%d answers to %d lines", got, want)
		}
	})
}
