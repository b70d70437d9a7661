package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plangate/plangate"
)

func TestParseQuery(t *testing.T) {
	tests := map[string]plangate.Call{
		`write_file`:             {Operation: "write_file"},
		` resource  write_file `: {Kind: plangate.Resource, Operation: "write_file"},
		`resource filesystem.write_file risk=high path="src/a.go"`: {
			Kind: plangate.Resource, Provider: "filesystem", Operation: "write_file", Risk: plangate.High,
			Input: json.RawMessage(`{"path":"src/a.go"}`),
		},
		`a.b.c`:               {Provider: "a", Operation: "b.c"},
		`"a.b"."do it"`:       {Provider: "a.b", Operation: "do it"},
		`"a.b"`:               {Operation: "a.b"},
		`a."".b`:              {Provider: "a", Operation: ".b"},
		`"resource"`:          {Operation: "resource"},
		`resource "resource"`: {Kind: plangate.Resource, Operation: "resource"},
		`mcp__fs__read`:       {Operation: "mcp__fs__read"},
		`kind=interactive operation=ask_user provider="x y"`: {
			Kind: plangate.Interactive, Provider: "x y", Operation: "ask_user",
		},
		`x n=1 f=-1.5e3 b=true c=false s=01 e= q="1" w=1.x`: {
			Operation: "x",
			Input:     json.RawMessage(`{"b":true,"c":false,"e":"","f":-1.5e3,"n":1,"q":"1","s":"01","w":"1.x"}`),
		},
		`x command=a=b`:       {Operation: "x", Input: json.RawMessage(`{"command":"a=b"}`)},
		`x "id"=7 id=7`:       {Operation: "x", ID: "7", Input: json.RawMessage(`{"id":7}`)},
		`x a="\"\\\n\u00e9"é`: {Operation: "x", Input: json.RawMessage(`{"a":"\"\\\néé"}`)},
		`x cwd=/w profile=ci time=2030-01-02T03:04:05Z`: {
			Operation: "x", Cwd: "/w", Profile: "ci", Time: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
		},
	}
	for text, want := range tests {
		got, err := parseQuery(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestParseQueryErrors(t *testing.T) {
	tests := map[string]int{ // byte offset of the error
		``:                           0,
		`resource`:                   8,
		`risk=high`:                  9,
		`resorce a.b`:                0,
		`"resource" a.b`:             11,
		`resource a.b c`:             13,
		`a.b path "src"`:             4,
		`a.b risk=hihg`:              4,
		`a.b risk=`:                  4,
		`a.b kind=tool`:              4,
		`resource a.b kind=resource`: 13,
		`a.b operation=c`:            4,
		`a.b provider=c`:             4,
		`a.b x=1 x=2`:                8,
		`a.b risk=low risk=low`:      13,
		`a.b time=tomorrow`:          4,
		`a.b =1`:                     4,
		`.b`:                         0,
		`a.`:                         0,
		`a.b x="open`:                6,
		`a.b x="\q"`:                 6,
		`a.b x="\xff"`:               6,
		"a.b x=\"a\nb\"":             6,
		"a.\xff":                     2,
		`a.b x=1 y`:                  8,
	}
	for text, offset := range tests {
		call, err := parseQuery(text)
		problem, ok := err.(*queryError)
		if !ok {
			t.Errorf("%q: got %+v, %v; want an error", text, call, err)
			continue
		}
		if problem.offset != offset {
			t.Errorf("%q: error at %d, want %d: %s", text, problem.offset, offset, problem.message)
		}
		if diff := cmp.Diff(plangate.Call{}, call); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestJoinQuery(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{`a.b x="1 2"`}, `a.b x="1 2"`},
		{[]string{"resource", "a.b", "risk=high"}, "resource a.b risk=high"},
		{[]string{"bash", "command=git push 'x'"}, `bash command="git push 'x'"`},
		{[]string{"bash", `command=echo "a"`}, `bash command="echo \"a\""`},
		{[]string{"bash", "command=a\nb"}, `bash command="a\nb"`},
		{[]string{"do it", `x="y z"`}, `"do it" x="y z"`},
	}
	for _, test := range tests {
		if got := joinQuery(test.args); got != test.want {
			t.Errorf("joinQuery(%q) = %q, want %q", test.args, got, test.want)
		}
	}
}

// TestDescribeIsAQuery holds that a printed call can be pasted into explain.
func TestDescribeIsAQuery(t *testing.T) {
	name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"resource", "a.b", "", "=", `"`, `\`, "a b"}))
	rapid.Check(t, func(t *rapid.T) {
		call := plangate.Call{
			Kind:      plangate.Kind(rapid.IntRange(0, 3).Draw(t, "kind")),
			Risk:      plangate.Risk(rapid.IntRange(0, 5).Draw(t, "risk")),
			Provider:  name.Filter(utf8.ValidString).Draw(t, "provider"),
			Operation: name.Filter(func(s string) bool { return s != "" && utf8.ValidString(s) }).Draw(t, "operation"),
			Profile:   name.Filter(utf8.ValidString).Draw(t, "profile"),
		}
		text := describe(call)
		got, err := parseQuery(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(call, got); diff != "" {
			t.Fatalf("%s: %s", text, diff)
		}
	})
}

func FuzzParseQuery(f *testing.F) {
	f.Add(`resource filesystem.write_file risk=high path="src/a.go" n=1`)
	f.Add(`"a.b"."c" "id"=7 x==1`)
	f.Add(`a.b x="open`)
	f.Fuzz(func(t *testing.T, text string) {
		call, err := parseQuery(text)
		if err != nil {
			if shown := err.Error(); strings.Count(shown, "\n") != 2 {
				t.Fatalf("error is not three lines: %q", shown)
			}
			return
		}
		written, err := json.Marshal(call)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plangate.ParseCall(written); err != nil {
			t.Fatalf("%q became %s: %v", text, written, err)
		}
	})
}
