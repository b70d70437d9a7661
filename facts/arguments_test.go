package facts

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestArguments holds spec PTH-13.
func TestArguments(t *testing.T) {
	const input = `{"path": "a", "paths": ["b", "c"], "edits": [{"file": "d"}, {"file": "e"}], "m/n": {"~": "f"},
		"null": null, "number": 1, "mixed": ["g", 2], "empty": [], "holes": [{"file": "h"}, {}], "": "i"}`
	tests := []struct {
		pointers []string
		want     Values
	}{
		{[]string{"/path"}, Values{Texts: []string{"a"}}},
		{[]string{"/paths/*", "/path"}, Values{Texts: []string{"b", "c", "a"}}},
		{[]string{"/paths/1"}, Values{Texts: []string{"c"}}},
		{[]string{"/edits/*/file"}, Values{Texts: []string{"d", "e"}}},
		{[]string{"/m~1n/~0"}, Values{Texts: []string{"f"}}},
		{[]string{"/"}, Values{Texts: []string{"i"}}},
		{[]string{"/absent"}, Values{Absent: []string{"/absent"}, Unknown: Absent}},
		{[]string{"/Path"}, Values{Absent: []string{"/Path"}, Unknown: Absent}},
		{[]string{"/null"}, Values{Absent: []string{"/null"}, Unknown: Absent}},
		{[]string{"/empty/*"}, Values{Absent: []string{"/empty/*"}, Unknown: Absent}},
		{[]string{"/paths/2"}, Values{Absent: []string{"/paths/2"}, Unknown: Absent}},
		{[]string{"/paths/01"}, Values{Absent: []string{"/paths/01"}, Unknown: Absent}},
		{[]string{"/absent", "/path"}, Values{Texts: []string{"a"}, Absent: []string{"/absent"}}},
		{[]string{"/number"}, Values{Unknown: WrongType}},
		{[]string{"/paths"}, Values{Unknown: WrongType}},
		{[]string{"/path/x"}, Values{Unknown: WrongType}},
		{[]string{"/*"}, Values{Unknown: WrongType}},
		{[]string{"/mixed/*"}, Values{Texts: []string{"g"}, Unknown: WrongType}},
		{[]string{"/holes/*/file"}, Values{Texts: []string{"h"}, Unknown: WrongType}},
		{nil, Values{Unknown: Absent}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Arguments(json.RawMessage("\n"+input), tt.pointers)); diff != "" {
			t.Errorf("Arguments(%q) (-want +got):\n%s", tt.pointers, diff)
		}
	}
}

func TestArgumentsHostile(t *testing.T) {
	many := `{"p": ["x"` + strings.Repeat(`, "x"`, MaxValues) + `]}`
	tests := map[string]Reason{
		"":                                   Absent,
		"null":                               Absent,
		"{":                                  BadInput,
		"{\"p\": \"\xff\"}":                  BadInput,
		`{"p": ["a"], "p": ["b"]}`:           BadInput,
		strings.Repeat("[", 1_000_000):       BadInput,
		`[]`:                                 Absent,
		`"p"`:                                WrongType,
		`{"p": {"a": "b"}}`:                  WrongType,
		many:                                 TooMany,
		`{"p": ["` + strconv.Itoa(1) + `"]}`: "",
	}
	for input, want := range tests {
		if got := Arguments(json.RawMessage(input), []string{"/p/*"}); got.Unknown != want {
			t.Errorf("Arguments(%.40q).Unknown = %q, want %q", input, got.Unknown, want)
		}
	}
	if got := Arguments(json.RawMessage(many), []string{"/p/*"}); len(got.Texts) != MaxValues {
		t.Errorf("%d values", len(got.Texts))
	}
}
