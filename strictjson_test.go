package plangate_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

// TestParseCall and the two after it hold FMT-2 and FMT-4.
func TestParseCall(t *testing.T) {
	full := plangate.Call{
		ID: "c1", Kind: plangate.Resource, Provider: "filesystem", Operation: "write_file",
		Risk: plangate.High, Input: json.RawMessage(`{"path": "a<b>.go", "n": 1e400}`),
		ProducerCategory: plangate.SlashCommand, Profile: "ci", Cwd: "/w",
		Session: json.RawMessage(`{}`), Caller: json.RawMessage(`{"x":[null]}`),
		Time: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	tests := map[string]struct {
		text string
		want plangate.Call
	}{
		"full": {`{"id":"c1","kind":"resource","provider":"filesystem","operation":"write_file",
			"risk":"high","input":{"path": "a<b>.go", "n": 1e400},"producer_category":"slashcommand",
			"profile":"ci","cwd":"/w","session":{},"caller":{"x":[null]},"time":"2030-01-02T03:04:05Z"}`, full},
		"least":          {`{"operation":"x"}`, plangate.Call{Operation: "x"}},
		"white space":    {" \t\r\n{ \"operation\" : \"x\" }\n", plangate.Call{Operation: "x"}},
		"names kept":     {`{"operation":" X\u0000\u00e9 "}`, plangate.Call{Operation: " X\x00é "}},
		"surrogate pair": {`{"operation":"\ud83d\ude00\\ud83d"}`, plangate.Call{Operation: `😀\ud83d`}},
		"drive":          {`{"operation":"x","cwd":"C:\\w"}`, plangate.Call{Operation: "x", Cwd: `C:\w`}},
		"drive, slash":   {`{"operation":"x","cwd":"c:/"}`, plangate.Call{Operation: "x", Cwd: `c:/`}},
		"server":         {`{"operation":"x","cwd":"\\\\s\\w"}`, plangate.Call{Operation: "x", Cwd: `\\s\w`}},
		"null inside":    {`{"operation":"x","input":{"a":null}}`, plangate.Call{Operation: "x", Input: json.RawMessage(`{"a":null}`)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := plangate.ParseCall([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func nested(open, inner, end string, levels int) string {
	return strings.Repeat(open, levels) + inner + strings.Repeat(end, levels)
}

func TestParseCallRefuses(t *testing.T) {
	tests := map[string]string{
		"empty":                 ``,
		"blank":                 " \n\t",
		"null":                  `null`,
		"array":                 `[{"operation":"x"}]`,
		"string":                `"x"`,
		"number":                `1`,
		"no operation":          `{}`,
		"empty operation":       `{"operation":""}`,
		"unknown key":           `{"operation":"x","tool":"y"}`,
		"key in another case":   `{"Operation":"x"}`,
		"both cases":            `{"operation":"x","OPERATION":"y"}`,
		"folded key":            `{"operation":"x","ri\u017fk":"low"}`,
		"doubled key":           `{"operation":"x","operation":"y"}`,
		"doubled, escaped":      `{"operation":"x","\u006fperation":"y"}`,
		"doubled in input":      `{"operation":"x","input":{"path":"a","path":"b"}}`,
		"doubled far inside":    `{"operation":"x","input":{"a":[[{"b":{"c":1,"c":1}}]]}}`,
		"doubled after an item": `{"operation":"x","input":{"a":{"b":1},"a":[]}}`,
		"null value":            `{"operation":"x","risk":null}`,
		"null input":            `{"operation":"x","input":null}`,
		"number as id":          `{"operation":"x","id":1}`,
		"number as kind":        `{"operation":"x","kind":1}`,
		"list as operation":     `{"operation":["x"]}`,
		"unknown kind":          `{"operation":"x","kind":"tool"}`,
		"kind in another case":  `{"operation":"x","kind":"Resource"}`,
		"empty risk":            `{"operation":"x","risk":""}`,
		"unspecified risk":      `{"operation":"x","risk":"unspecified"}`,
		"unknown category":      `{"operation":"x","producer_category":"mcp"}`,
		"input as text":         `{"operation":"x","input":"{}"}`,
		"input as list":         `{"operation":"x","input":[]}`,
		"session as number":     `{"operation":"x","session":1}`,
		"caller as bool":        `{"operation":"x","caller":true}`,
		"time without zone":     `{"operation":"x","time":"2030-01-02T03:04:05"}`,
		"time as number":        `{"operation":"x","time":1}`,
		"time of one digit":     `{"operation":"x","time":"2030-01-31T1:00:00Z"}`,
		"time with a comma":     `{"operation":"x","time":"2030-01-31T12:00:00,5Z"}`,
		"zone of 24 hours":      `{"operation":"x","time":"2030-01-31T12:00:00+24:00"}`,
		"zone of 60 minutes":    `{"operation":"x","time":"2030-01-31T12:00:00+01:60"}`,
		"time in lower case":    `{"operation":"x","time":"2030-01-31t12:00:00z"}`,
		"time in no month":      `{"operation":"x","time":"2030-13-31T12:00:00Z"}`,
		"relative cwd":          `{"operation":"x","cwd":"w"}`,
		"empty cwd":             `{"operation":"x","cwd":""}`,
		"cwd with NUL":          `{"operation":"x","cwd":"/w\u0000"}`,
		"cwd of a drive":        `{"operation":"x","cwd":"C:w"}`,
		"cwd on no drive":       `{"operation":"x","cwd":"1:/w"}`,
		"cwd without drive":     `{"operation":"x","cwd":"\\w"}`,
		"cwd in the home":       `{"operation":"x","cwd":"~/w"}`,
		"two values":            `{"operation":"x"}{"operation":"y"}`,
		"text after":            `{"operation":"x"} x`,
		"brace after":           `{"operation":"x"}}`,
		"NUL after":             "{\"operation\":\"x\"}\x00",
		"half":                  `{"operation":"x`,
		"half key":              `{"operation`,
		"half object":           `{"operation":"x",`,
		"trailing comma":        `{"operation":"x",}`,
		"comment":               `{"operation":"x"/**/}`,
		"single quotes":         `{'operation':'x'}`,
		"not UTF-8":             "{\"operation\":\"\xff\"}",
		"overlong":              "{\"operation\":\"\xc0\xaf\"}",
		"raw surrogate":         "{\"operation\":\"\xed\xa0\x80\"}",
		"UTF-16":                "{\x00\"\x00o\x00",
		"byte order mark":       "\ufeff{\"operation\":\"x\"}",
		"raw newline":           "{\"operation\":\"a\nb\"}",
		"raw NUL":               "{\"operation\":\"a\x00b\"}",
		"half surrogate pair":   `{"operation":"\ud83d"}`,
		"low surrogate":         `{"operation":"a\\\ude00"}`,
		"two high surrogates":   `{"operation":"x","input":{"a":"\ud83d\ud83d"}}`,
		"surrogate in a key":    `{"operation":"x","input":{"\uDFFF":1}}`,
		"surrogate then text":   `{"operation":"\ud83dude00"}`,
		"too deep":              `{"operation":"x","input":` + nested(`{"a":`, `1`, `}`, plangate.MaxJSONDepth) + `}`,
		"too deep in arrays":    `{"operation":"x","input":{"a":` + nested(`[`, ``, `]`, plangate.MaxJSONDepth) + `}}`,
		"bottomless":            nested(`[`, ``, ``, 1<<20),
		"bottomless objects":    nested(`{"a":`, ``, ``, 1<<19),
		"too long":              `{"operation":"` + strings.Repeat("x", plangate.MaxJSONBytes) + `"}`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			call, err := plangate.ParseCall([]byte(text))
			if err == nil {
				t.Fatalf("got %+v; want an error", call)
			}
			if diff := cmp.Diff(plangate.Call{}, call); diff != "" {
				t.Errorf("call is not empty: %s", diff)
			}
			if size := len(err.Error()); size > 500 {
				t.Errorf("message of %d bytes", size)
			}
		})
	}
}

func TestCheckJSONLimits(t *testing.T) {
	fits := []string{
		nested(`[`, ``, `]`, plangate.MaxJSONDepth),
		nested(`{"a":`, `1`, `}`, plangate.MaxJSONDepth),
		`"` + strings.Repeat("x", plangate.MaxJSONBytes-2) + `"`,
		`[` + strings.Repeat(`[],`, 1000) + `{}]`,
		`1`, `null`, `""`, `-0.0e-0`,
	}
	for _, text := range fits {
		if err := plangate.CheckJSON([]byte(text)); err != nil {
			t.Errorf("%.40s…: %v", text, err)
		}
	}
}

// TestParseCallKeepsID holds the id of FMT-6.
func TestParseCallKeepsID(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"unknown key":        {`{"id":"c1","operation":"x","y":1}`, "c1"},
		"id after the error": {`{"operation":1,"id":"c1"}`, "c1"},
		"half written":       {`{"id":"c1","operation":"x","input":{"a":`, "c1"},
		"syntax error later": {`{"id":"c1",}`, "c1"},
		"text after":         {`{"id":"c1","operation":"x"} {"id":"c2"}`, "c1"},
		"not UTF-8":          {"{\"id\":\"c1\",\"operation\":\"\xff\"}", "c1"},
		"too long":           {`{"id":"c1","operation":"` + strings.Repeat("x", plangate.MaxJSONBytes) + `"}`, "c1"},
		"half an id":         {`{"id":"c1`, ""},
		"doubled id":         {`{"id":"c1","id":"c2","operation":"x"}`, ""},
		"id in another case": {`{"ID":"c1","operation":"x"}`, ""},
		"inner id":           {`{"input":{"id":"c1"},"operation":1}`, ""},
		"number":             {`{"id":1,"operation":"x"}`, ""},
		"array":              {`[{"id":"c1"}]`, ""},
		"deep before":        {`{"input":` + nested(`[`, ``, ``, 1<<20), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			call, err := plangate.ParseCall([]byte(test.text))
			if err == nil {
				t.Fatal("want an error")
			}
			if diff := cmp.Diff(plangate.Call{ID: test.want}, call); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestParseCallErrorIsStable holds that of several errors always the same one is told.
func TestParseCallErrorIsStable(t *testing.T) {
	text := []byte(`{"operation":"x","b":1,"a":1,"c":1,"d":1,"e":1}`)
	_, first := plangate.ParseCall(text)
	for range 20 {
		if _, again := plangate.ParseCall(text); again.Error() != first.Error() {
			t.Fatalf("%v, then %v", first, again)
		}
	}
}

func FuzzParseCall(f *testing.F) {
	f.Add([]byte(`{"id":"c1","kind":"resource","provider":"p","operation":"o","risk":"low","input":{"a":[1,{"b":null}]}}`))
	f.Add([]byte(`{"operation":"\ud83d\ude00","time":"2030-01-02T03:04:05.5+01:00"}`))
	f.Add([]byte(`{"id":"c1","operation":"x","operation":"x"}`))
	f.Add([]byte(`{"id":"a\ud800`))
	f.Add([]byte(nested(`{"a":`, ``, ``, 200)))
	f.Fuzz(func(t *testing.T, text []byte) {
		call, err := plangate.ParseCall(text)
		if err != nil {
			if diff := cmp.Diff(plangate.Call{ID: call.ID}, call); diff != "" {
				t.Fatalf("a refused call carries more than an id: %s", diff)
			}
			return
		}
		if call.Operation == "" || !json.Valid(text) {
			t.Fatalf("accepted %q", text)
		}
		checkCallRoundTrip(t, call)
	})
}

// checkCallRoundTrip holds that an accepted call can be written and read again.
func checkCallRoundTrip(t *testing.T, call plangate.Call) {
	t.Helper()
	written, err := json.Marshal(call)
	if err != nil {
		t.Fatal(err)
	}
	again, err := plangate.ParseCall(written)
	if err != nil {
		t.Fatalf("%s: %v", written, err)
	}
	rewritten, err := json.Marshal(again)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), string(rewritten)); diff != "" {
		t.Error(diff)
	}
}
