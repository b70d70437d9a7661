package when_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/when"
)

// findings prints codes with the columns that they are about.
func findings(diags plangate.Diagnostics) []string {
	var all []string
	for _, d := range diags {
		all = append(all, fmt.Sprintf("%s %d-%d", d.Code, d.Range.Start.Column, d.Range.End.Column))
	}
	return all
}

type finding struct {
	text string
	want []string
}

func testFindings(t *testing.T, tests []finding) {
	t.Helper()
	for _, tt := range tests {
		_, diags := when.Parse(tt.text, "agent.hcl", start)
		if diff := cmp.Diff(tt.want, findings(diags)); diff != "" {
			t.Errorf("%s: %s", tt.text, diff)
		}
		for _, d := range diags {
			if d.Detail == "" || d.Summary == "" || d.Severity != plangate.SeverityError || d.Range.File != "agent.hcl" {
				t.Errorf("%s: %+v", tt.text, d)
			}
		}
	}
}

// WHN-1.
func TestClosedLanguage(t *testing.T) {
	testFindings(t, []finding{
		{`inptu.path == "x"`, []string{"when_unknown_variable 1-6"}},
		{`path == "x" && true`, []string{"when_unknown_variable 1-5"}},
		{`env.HOME == "x" || var.x`, []string{"when_unknown_variable 1-4", "when_unknown_variable 20-23"}},
		{`call.kid == "x"`, []string{"when_unknown_variable 1-9"}},
		{`call == "x"`, []string{"when_unknown_variable 1-5"}},
		{`call[input.x] == "x"`, []string{"when_unknown_variable 1-5"}},
		{`length(call) == 1`, []string{"when_unknown_variable 8-12"}},
		{`call[0] == "x"`, []string{"when_unknown_variable 1-8"}},
		{`[for x in [1]: x] == [1] && x`, []string{"when_unknown_variable 29-30"}},
		{`try(input.x, true)`, []string{"when_unknown_function 1-4"}},
		{`can(input.x)`, []string{"when_unknown_function 1-4"}},
		{`jsonencode(input) == "{}"`, []string{"when_unknown_function 1-11"}},
		{`start_with(input.x, "a") || a::b()`, []string{"when_unknown_function 1-11", "when_unknown_function 29-33"}},
		{`file("/etc/passwd") == "x"`, []string{"when_unknown_function 1-5"}},
		{`startswith(input.x)`, []string{"when_bad_argument 1-20"}},
		{`lower(input.x, "a") == "x"`, []string{"when_bad_argument 1-20"}},
		{`coalesce()`, []string{"when_bad_argument 1-11"}},
		{`regex("a")`, []string{"when_bad_argument 1-11"}},
		{`startswith([input.x, "a"]...)`, []string{"when_too_complex 1-30"}},
		{`input.x == {a = 1}`, []string{"when_too_complex 12-19"}},
		{`{for k, v in input: k => v} == 1`, []string{"when_too_complex 1-28"}},
		{`[for input in [1]: input] == [1]`, []string{"when_too_complex 1-26"}},
		{`"%{ if input.x }a%{ endif }" == "a"`, []string{"when_too_complex 2-4", "when_too_complex 18-20"}},
		{`input.`, []string{"syntax 7-7"}},
		{``, []string{"syntax 1-1"}},
		{`input.x == "a" "b"`, []string{"syntax 16-17"}},
		{"input.x == \"\x00\"", []string{"file_nul 13-14"}},
		{"input.x == \"\xff\"", []string{"file_encoding 13-14"}},
	})
}

// WHN-4: what could never be known is said before any call.
func TestTypes(t *testing.T) {
	testFindings(t, []finding{
		{`input`, []string{"when_wrong_type 1-6"}},
		{`input == session`, []string{"when_wrong_type 1-6", "when_wrong_type 10-17"}},
		{`input == null`, []string{"when_wrong_type 1-6"}},
		{`"${input}" == "x"`, []string{"when_wrong_type 4-9"}},
		{`"${input.x}"`, []string{"when_wrong_type 1-13"}},
		{`lower(input.x)`, []string{"when_wrong_type 1-15"}},
		{`length(input.x) && true`, []string{"when_wrong_type 1-16"}},
		{`input.x > "3"`, []string{"when_wrong_type 11-14"}},
		{`!"x" || -true == 1`, []string{"when_wrong_type 2-5", "when_wrong_type 10-14"}},
		{`call.kind == 3`, []string{"when_wrong_type 1-10"}},
		{`3 == call.kind`, []string{"when_wrong_type 6-15"}},
		{`call.kind.x == 3`, []string{"when_wrong_type 1-10"}},
		{`null > 3`, []string{"when_wrong_type 1-5"}},
		{`input[0] == 3`, []string{"when_wrong_type 1-6"}},
		{`input[true] == 3`, []string{"when_too_complex 1-12"}},
		{`input.x[null] == 3`, []string{"when_too_complex 1-14"}},
		{`input.x[input.y == 1] == 3`, []string{"when_wrong_type 9-21"}},
		{`input[*].x == ["a"]`, []string{"when_wrong_type 1-6"}},
		{`contains(["a"], 1)`, []string{"when_wrong_type 10-15"}},
		{`contains(call.kind, 1)`, []string{"when_wrong_type 10-19"}},
		{`contains(input, "x")`, []string{"when_wrong_type 10-15"}},
		{`contains(input.x[*].y, null)`, []string{"when_wrong_type 24-28"}},
		{`(input.x ? "a" : 1) && true`, []string{"when_wrong_type 2-19"}},
		{`[for x in 3: x] == [1]`, []string{"when_wrong_type 11-12"}},
		{`[for x in [1]: x if "a"] == [1]`, []string{"when_wrong_type 21-24"}},
		{`[for x in [1]: startswith(x, "a")] == [true]`, []string{"when_wrong_type 27-28"}},
		{`[for k, v in input: k + 1] == [1]`, []string{"when_wrong_type 21-22"}},
		{`coalesce(input.x, 1) + coalesce("a", "b") == 1`, []string{"when_wrong_type 24-42"}},
		{`cidr_contains("10.0.0.1/8", input.ip)`, []string{"when_bad_argument 15-27"}},
		{`cidr_contains("::ffff:10.0.0.0/104", input.ip)`, []string{"when_bad_argument 15-36"}},
	})
}

// WHN-8.
func TestTextOfExpressions(t *testing.T) {
	testFindings(t, []finding{
		{"input.x == \"e\u0301\"", []string{"when_bad_text 13-14"}},
		{`input.x == "e\u0301"`, []string{"when_bad_text 13-20"}},
		{`input["e\u0301"] == 1`, []string{"when_bad_text 8-15"}},
		{`input.x == "\U0000212a"`, []string{"when_bad_text 13-23"}},
		{"input.e\u0301 == 1", []string{"when_bad_text 7-8"}},
		{`input.x == "e\\u0301" && input.x == "\u00e9"`, nil},
	})
}

// WHN-10.
func TestBadRegex(t *testing.T) {
	testFindings(t, []finding{
		{`regex(input.x, "(")`, []string{"when_bad_regex 16-19"}},
		{`regex(input.x, "(?=a)")`, []string{"when_bad_regex 16-23"}},
		{`regex(input.x, input.y)`, []string{"when_bad_regex 16-23"}},
		{`regex(input.x, "a${input.y}")`, []string{"when_bad_regex 16-29"}},
		{`regex(input.x, "(a{50}){50}")`, []string{"when_bad_regex 16-29"}},
		{`regex(input.x, "(a{1000}){1000}")`, []string{"when_bad_regex 16-33"}},
		{`regex(1, "a")`, []string{"when_wrong_type 7-8"}},
	})
}

// WHN-2.
func TestLimits(t *testing.T) {
	many := func(part, glue string, n int) string { return strings.TrimSuffix(strings.Repeat(part+glue, n), glue) }
	codes := map[string]string{
		strings.Repeat(" ", when.MaxBytes) + "true":                  "when_too_complex",
		many("true", " && ", 300):                                    "when_too_complex",
		many("input.on", " && ", 80):                                 "when_too_complex",
		strings.Repeat("!", 60) + "true":                             "when_too_complex",
		"input" + strings.Repeat(".x", 210):                          "when_too_complex",
		"contains([" + many("1", ", ", 250) + "], input.x)":          "when_too_complex",
		strings.Repeat("(", 99) + "true" + strings.Repeat(")", 99):   "when_too_complex",
		strings.Repeat("(", 101) + "true" + strings.Repeat(")", 101): "nesting_too_deep",
		many("true", "\n&& ", 500):                                   "when_too_complex",
		"input.x == 1e401":                                           "when_too_complex",
		"input.x == " + strings.Repeat("1", 65):                      "when_too_complex",
		"input.x[1e999999999] == 1":                                  "when_too_complex",
		"input.x[0.5] == 1":                                          "when_too_complex",
		"input.x[99999999999999999999999999] == 1":                   "when_too_complex",
		"<<E\nx\nE\n":                                                     "when_too_complex",
		"[for x in [for y in [1]: y]: x] == [1]":                          "when_too_complex",
		"[for x in [1]: [for y in [1]: y]] == [1]":                        "when_too_complex",
		"[for x in [1]: x if contains([for y in [1]: y], x)] == [1]":      "when_too_complex",
		"[for x in [1]: input.a[*].b] == [1]":                             "when_too_complex",
		"input.a[*].b[*].c == [1]":                                        "when_too_complex",
		"contains([" + many(`"a"`, ", ", when.MaxNodes-4) + "], call.id)": "",
		many("input.on", " || ", 60):                                      "",
		strings.Repeat("!", when.MaxDepth-1) + "true":                     "",
		"[for x in [1]: x] == [1] && [for x in [1]: x] == input.a[*].b":   "",
	}
	for text, want := range codes {
		_, diags := when.Parse(text, "agent.hcl", start)
		got := ""
		if len(diags) > 0 {
			got = diags[0].Code
		}
		if got != want || len(diags) > 1 {
			t.Errorf("%.60s: %q, want %q: %v", text, got, want, diags)
		}
	}
}

func TestRangesAreInTheFile(t *testing.T) {
	at := plangate.Pos{Line: 7, Column: 10, Byte: 100}
	for text, want := range map[string]string{
		"nope":                    "agent.hcl.json:7,10-14",
		"true &&\n  nope":         "agent.hcl.json:8,3-7",
		"true && \"\x00\"":        "agent.hcl.json:7,19-20",
		"true\n&& \"\x00\"":       "agent.hcl.json:8,5-6",
		"input.a.b == 1e9999":     "agent.hcl.json:7,23-29",
		strings.Repeat(" ", 5000): "agent.hcl.json:7,10-10",
	} {
		_, diags := when.Parse(text, "agent.hcl.json", at)
		if len(diags) != 1 || diags[0].Range.String() != want {
			t.Errorf("%.40q: %v, want %s", text, diags, want)
		}
		if len(diags) == 1 && diags[0].Range.Start.Byte < at.Byte {
			t.Errorf("%.40q: byte %d", text, diags[0].Range.Start.Byte)
		}
	}
}

func TestSuggestions(t *testing.T) {
	for text, want := range map[string]string{
		`inptu.x == 1`:      `Did you mean "input"?`,
		`call.knid == "x"`:  `Did you mean "kind"?`,
		`contain([1], 1)`:   `Did you mean "contains"?`,
		`try(input.x, 1)`:   "coalesce",
		`jsonencode(input)`: "not offered",
		`input.x > null`:    "== null",
	} {
		_, diags := when.Parse(text, "", start)
		if len(diags) != 1 || !strings.Contains(diags[0].Detail, want) {
			t.Errorf("%s: %v, want %s", text, diags, want)
		}
	}
}

const schema = `{"type": "object", "properties": {
	"path": {"type": "string"}, "n": {"type": "integer"}, "maybe": {"type": ["string", "null"]}, "any": {}, "yes": true, "no": false,
	"tags": {"type": "array", "items": {"type": "string"}}, "tuple": {"type": "array", "prefixItems": [{}]},
	"options": {"type": "object", "properties": {"deep": {"type": "boolean"}}, "additionalProperties": false},
	"env": {"type": "object", "additionalProperties": {"type": "string"}}, "free": {"type": "object"},
	"open": {"type": "object", "properties": {"a": {}}, "additionalProperties": true},
	"ref": {"properties": {"a": {}}, "$ref": "#/$defs/x"}, "odd": {"type": []}, "files": {"type": "array", "items": {"properties": {"p": {"type": "string"}}}}
}}`

// WHN-13.
func TestCheck(t *testing.T) {
	for _, tt := range []finding{
		{`input.path == "x" && input.n < 5 && input.maybe == "x" && input.any > 3 && input.yes`, nil},
		{`input.pth == "x"`, []string{"when_unknown_argument 1-10"}},
		{`input["pth"] == null`, []string{"when_unknown_argument 1-13"}},
		{`input.no == "x"`, []string{"when_unknown_argument 1-9"}},
		{`coalesce(input.pth, "x") == "x"`, []string{"when_unknown_argument 10-19"}},
		{`session.pth == "x" && input[session.x] == 1`, nil},
		{`input.options.deep && input.free.x == 1 && input.open.x == 1 && input.ref.x == 1 && input.odd == 1`, nil},
		{`input.options.deeper`, []string{"when_unknown_argument 1-21"}},
		{`input.env.PATH == "x"`, nil},
		{`input.env.PATH == 1`, []string{"when_wrong_type 1-15"}},
		{`input.path < 5`, []string{"when_wrong_type 1-11"}},
		{`5 == input.path`, []string{"when_wrong_type 6-16"}},
		{`input.n == "5"`, []string{"when_wrong_type 1-8"}},
		{`input.path == input.n`, []string{"when_wrong_type 1-11"}},
		{`input.path`, []string{"when_wrong_type 1-11"}},
		{`input.path.x == 1`, []string{"when_wrong_type 1-11"}},
		{`input.path[0] == "x"`, []string{"when_wrong_type 1-11"}},
		{`input.options == "x"`, []string{"when_wrong_type 1-14"}},
		{`input.tags[0] == 1`, []string{"when_wrong_type 1-14"}},
		{`input.tags[0] == "x" && input.tuple[0] == 1`, nil},
		{`contains(input.tags, "a") && contains(input.path, "a") && contains(input.any, 1)`, nil},
		{`contains(input.tags, 1)`, []string{"when_wrong_type 10-20"}},
		{`contains(["a"], input.n)`, []string{"when_wrong_type 17-24"}},
		{`contains(input.n, "a")`, []string{"when_wrong_type 10-17"}},
		{`startswith(input.n, "a")`, []string{"when_wrong_type 12-19"}},
		{`input.files[*].p == ["a"]`, nil},
		{`input.files[*].q == ["a"]`, []string{"when_unknown_argument 12-17"}},
		{`contains([for f in input.files: f.q], "a")`, []string{"when_unknown_argument 33-36"}},
		{`contains([for f in input.files: f.p > 3], true)`, []string{"when_wrong_type 33-36"}},
		{`coalesce(input.n, 1) == "a"`, []string{"when_wrong_type 1-21"}},
		{`coalesce(input.n, "a") == "a"`, nil},
		{`input.n == null || input.path != null`, nil},
	} {
		if diff := cmp.Diff(tt.want, findings(parse(t, tt.text).Check(json.RawMessage(schema)))); diff != "" {
			t.Errorf("%s: %s", tt.text, diff)
		}
	}
}

// WHN-13: what a schema does not say is no finding.
func TestCheckWithoutSchema(t *testing.T) {
	expr := parse(t, `input.pth == "x"`)
	for _, schema := range []string{
		``, `null`, `true`, `[]`, `{`, `{}`, `{"type": "object"}`, `{"properties": {"path": {}}, "patternProperties": {"p": {}}}`,
		`{"properties": {"path": {}}, "anyOf": [{}]}`, `{"properties": {"path": {}}, "additionalProperties": {}}`,
		`{"properties": {"pth": {"type": "strange"}}}`, `{"properties": []}`, `{"properties": {"pth": {"type": 3}}}`,
	} {
		if found := expr.Check(json.RawMessage(schema)); found != nil {
			t.Errorf("%s: %v", schema, found)
		}
	}
	for _, schema := range []string{`{"properties": {"path": {}}}`, `{"additionalProperties": false}`, `{"properties": {}}`} {
		found := expr.Check(json.RawMessage(schema))
		if len(found) != 1 || found[0].Code != "when_unknown_argument" {
			t.Errorf("%s: %v", schema, found)
		}
	}
	found := expr.Check(json.RawMessage(`{"properties": {"path": {}}}`))
	if !strings.Contains(found[0].Detail, `Did you mean "path"?`) {
		t.Error(found)
	}
}
