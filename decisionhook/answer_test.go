//go:build unix

package decisionhook

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

func TestParseAnswer(t *testing.T) {
	tests := []struct {
		name, text string
		want       Answer
	}{
		{"allow", `{"decision":"allow"}`, Answer{Decision: plangate.Allow}},
		{"deny with a message", `{"decision":"deny","message":"no"}`, Answer{Message: "no"}},
		{"ask", `{"decision":"ask"}`, Answer{Decision: plangate.Ask}},
		{"seed: ask carries prompt and channel", `{"decision":"ask","ask":{"prompt":"Approve?","channel":"slack:#approvals"}}`,
			Answer{Decision: plangate.Ask, Prompt: "Approve?", Channel: "slack:#approvals"}},
		{"ask with a message and a channel", `{"decision":"ask","message":"m","ask":{"channel":"c"}}`,
			Answer{Decision: plangate.Ask, Message: "m", Channel: "c"}},
		{"white space around", " \r\n{\"decision\":\"allow\"}\n\n", Answer{Decision: plangate.Allow}},
		{"an empty ask", `{"decision":"ask","ask":{}}`, Answer{Decision: plangate.Ask}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseAnswer([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// badAnswers are refused. Each would be an allow for a lenient reader, or nearly so.
var badAnswers = map[string]string{
	"nothing":               ``,
	"white space":           " \n",
	"null":                  `null`,
	"empty object":          `{}`,
	"a word":                `"allow"`,
	"no JSON":               `allow`,
	"true":                  `true`,
	"list":                  `[{"decision":"allow"}]`,
	"hook":                  `{"decision":"hook"}`,
	"another word":          `{"decision":"allowed"}`,
	"another case":          `{"decision":"ALLOW"}`,
	"another case of key":   `{"Decision":"allow"}`,
	"empty word":            `{"decision":""}`,
	"null word":             `{"decision":null}`,
	"number":                `{"decision":3}`,
	"unknown key":           `{"decision":"allow","because":"x"}`,
	"doubled key":           `{"decision":"deny","decision":"allow"}`,
	"doubled key escaped":   `{"decision":"deny","d\u0065cision":"allow"}`,
	"doubled key inside":    `{"decision":"ask","ask":{"prompt":"a","prompt":"b"}}`,
	"unknown key inside":    `{"decision":"ask","ask":{"to":"x"}}`,
	"ask beside allow":      `{"decision":"allow","ask":{"prompt":"x"}}`,
	"ask beside deny":       `{"decision":"deny","ask":{}}`,
	"ask is null":           `{"decision":"ask","ask":null}`,
	"ask is text":           `{"decision":"ask","ask":"x"}`,
	"message is null":       `{"decision":"allow","message":null}`,
	"message is a number":   `{"decision":"allow","message":1}`,
	"trailing text":         `{"decision":"allow"} x`,
	"two objects":           `{"decision":"allow"}{"decision":"deny"}`,
	"trailing comma":        `{"decision":"allow",}`,
	"half written":          `{"decision":"allow"`,
	"no UTF-8":              "{\"decision\":\"allow\",\"message\":\"\xff\"}",
	"byte order mark":       "\ufeff{\"decision\":\"allow\"}",
	"half a surrogate pair": `{"decision":"allow","message":"\ud800"}`,
	"deep":                  `{"decision":"allow","message":` + strings.Repeat("[", 1e5) + `}`,
	"too long":              `{"decision":"allow","message":"` + strings.Repeat("x", MaxAnswerBytes) + `"}`,
}

func TestParseAnswerRefuses(t *testing.T) {
	for name, text := range badAnswers {
		t.Run(name, func(t *testing.T) {
			got, err := ParseAnswer([]byte(text))
			if err == nil || got != (Answer{}) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, text := range badAnswers {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"decision":"ask","message":"m","ask":{"prompt":"p","channel":"c"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		answer, err := ParseAnswer(text)
		if err != nil {
			if answer != (Answer{}) {
				t.Errorf("%v beside an error", answer)
			}
			return
		}
		if err := answer.check(); err != nil {
			t.Error(err)
		}
		var again struct{ Decision string }
		if err := json.Unmarshal(text, &again); err != nil || again.Decision != answer.Decision.String() {
			t.Errorf("%q: got %v, %v", text, answer.Decision, again.Decision)
		}
	})
}

func TestQuestionJSON(t *testing.T) {
	q := question("c1")
	text, err := q.encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"call_id":"c1","session":"s1","turn":"t1","item":"i1",` +
		`"call":{"id":"c1","provider":"shop","operation":"create_return","kind":"resource",` +
		`"input":{"order":"A-1001","amount":82.40}},` +
		`"decision":`
	if !strings.HasPrefix(string(text), want) {
		t.Errorf("got %s", text)
	}
	var parsed struct {
		Decision   plangate.Decision
		DeadlineAt string `json:"deadline_at"`
	}
	if err := json.Unmarshal(text, &parsed); err != nil {
		t.Fatal(err)
	}
	if !parsed.Decision.Equal(q.Decision) || parsed.DeadlineAt == "" {
		t.Errorf("got %s", text)
	}
}

func TestKey(t *testing.T) {
	base := question("c1")
	same := map[string]func(q *Question){
		"order of keys": func(q *Question) { q.Call.Input = json.RawMessage(`{"amount": 82.40, "order":"A-1001"}`) },
		"item":          func(q *Question) { q.Item = "i2" },
		"time":          func(q *Question) { q.Call.Time = q.Call.Time.Add(1) },
		"decision":      func(q *Question) { q.Decision = plangate.Decision{} },
	}
	other := map[string]func(q *Question){
		"input":     func(q *Question) { q.Call.Input = json.RawMessage(`{"order":"A-1001","amount":8240}`) },
		"no input":  func(q *Question) { q.Call.Input = nil },
		"bad input": func(q *Question) { q.Call.Input = json.RawMessage(`{`) },
		"call id":   func(q *Question) { q.ID = "c2" },
		"session":   func(q *Question) { q.Session = "s2" },
		"turn":      func(q *Question) { q.Turn = "t2" },
		"provider":  func(q *Question) { q.Call.Provider = "shopc" },
		"operation": func(q *Question) { q.Call.Operation = "delete_return" },
		"kind":      func(q *Question) { q.Call.Kind = plangate.DataSource },
		"caller":    func(q *Question) { q.Call.Caller = json.RawMessage(`{"tier":"basic"}`) },
		"a border":  func(q *Question) { q.Session, q.Turn = "s", "1t1" },
	}
	for name, change := range same {
		q := base
		if change(&q); q.Key() != base.Key() {
			t.Errorf("%s: another key", name)
		}
	}
	for name, change := range other {
		q := base
		if change(&q); q.Key() == base.Key() {
			t.Errorf("%s: the same key", name)
		}
	}
}
