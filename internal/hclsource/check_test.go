package hclsource

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/plangate/plangate"
)

func wide(text string, mark bool) string {
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	var b strings.Builder
	for _, u := range units {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

// found prints diagnostics as code and range.
func found(diags plangate.Diagnostics) []string {
	var out []string
	for _, d := range diags {
		r := d.Range
		out = append(out, fmt.Sprintf("%s %d:%d-%d:%d %d-%d", d.Code,
			r.Start.Line, r.Start.Column, r.End.Line, r.End.Column, r.Start.Byte, r.End.Byte))
	}
	return out
}

func TestDiagnostics(t *testing.T) {
	const policy = "policy \"a\" {\n  match = {}\n}\n"
	tests := []struct {
		name, file, src string
		want            []string
	}{
		{"fine", "a.hcl", policy, nil},
		{"empty", "a.hcl", "", nil},
		{"BOM", "a.hcl", "\ufeff" + policy, nil},
		{"only BOM", "a.hcl", "\ufeff", nil},
		{"CRLF", "a.hcl", strings.ReplaceAll(policy, "\n", "\r\n"), nil},
		{"JSON", "a.hcl.json", `{"policy":{"a":{}}}`, nil},
		{"JSON BOM", "a.hcl.json", "\ufeff{}", nil},

		{"UTF-16 with mark", "a.hcl", wide(policy, true), []string{"file_encoding 1:1-1:1 0-0"}},
		{"UTF-16 without mark", "a.hcl", wide(policy, false), []string{"file_encoding 1:1-1:1 0-0"}},
		{"UTF-16 big endian without mark", "a.hcl", "\x00" + strings.TrimSuffix(wide(policy, false), "\x00"), []string{"file_encoding 1:1-1:1 0-0"}},
		{"UTF-16 JSON", "a.json", wide("{}", true), []string{"file_encoding 1:1-1:1 0-0"}},
		{"UTF-32", "a.hcl", "\xff\xfe\x00\x00p\x00\x00\x00", []string{"file_encoding 1:1-1:1 0-0"}},
		{"Latin-1", "a.hcl", "# \u00fc\n# gr\xfc\xdfe\n", []string{"file_encoding 2:5-2:6 9-10"}},
		{"NUL in a label", "a.hcl", "policy \"a\x00b\" {\n}\n", []string{"file_nul 1:10-1:11 9-10"}},

		{"depth", "a.hcl", "\ufeffx = [\n" + strings.Repeat("[", MaxDepth), []string{"nesting_too_deep 2:100-2:101 108-109"}},
		{"JSON depth", "a.json", "[\n\t" + strings.Repeat("[", MaxDepth), []string{"nesting_too_deep 2:102-2:103 102-103"}},
		{"JSON depth in a string", "a.json", "[\n \"${" + strings.Repeat("(", MaxDepth) + "\"]", []string{"nesting_too_deep 2:2-2:106 3-107"}},

		{"unclosed string", "a.hcl", "x = 1\ny = \"a\nz = \"b\"\n", []string{"syntax 2:5-2:7 10-12"}},
		{"unclosed string at the end", "a.hcl", "x = \"a", []string{"syntax 1:5-1:7 4-6"}},
		{"unclosed comment", "a.hcl", "x = 1\n/* a\n", []string{"syntax 2:1-2:3 6-8"}},
		{"marker that is not ASCII", "a.hcl", "x = <<\u00c9\n\u00c9\n", []string{"syntax 1:5-1:7 4-6"}},
		{"single quotes", "a.hcl", "x = 'a'\n", []string{"syntax 1:5-1:6 4-5"}},
		{"curly quotes", "a.hcl", "x = \u201ca\u201d\n", []string{"syntax 1:5-1:6 4-7"}},
		{"comma after an argument", "a.hcl", "x = 1,\ny = 2\n", []string{"syntax 1:6-1:7 5-6"}},
		{"missing brace", "a.hcl", "a {\n  x = 1\n", []string{"syntax 1:3-1:4 2-3"}},
		{"byte offsets behind BOM", "a.hcl", "\ufeffx = 1,\n", []string{"syntax 1:6-1:7 8-9"}},
		{"grapheme columns", "a.hcl", "x = \"e\u0301\" 1\n", []string{"syntax 1:9-1:10 10-11"}},

		{"two arguments on a line", "a.hcl", "a { x = 1 y = 2 }\nb {\n}\n", []string{"single_line_block 1:11-1:12 10-11"}},
		{"two arguments with a comma", "a.hcl", "a { x = 1, y = 2 }\n", []string{"single_line_block 1:10-1:11 9-10"}},
		{"argument beside the brace", "a.hcl", "a { x = 1\n y = 2\n}\n", []string{"single_line_block 1:10-2:1 9-10"}},
		{"block on a line", "a.hcl", "a { b { x = 1 } }\n", []string{"single_line_block 1:5-1:8 4-7"}},

		{"duplicate attribute", "a.hcl", "a {\n x = 1\n x = 2\n x = 3\n}\n", []string{"duplicate_attribute 3:2-3:3 12-13", "duplicate_attribute 4:2-4:3 19-20"}},
		{"no doubles while recovering", "a.hcl", "a {\n c = [1, 2\n x = 2\n}\nb {\n c = []\n x = 1\n x = 2\n}\n", []string{"syntax 3:2-3:3 16-17"}},

		{"JSON comma", "a.json", "{\"a\": 1,}", []string{"syntax 1:8-1:9 7-8"}},
		{"JSON unclosed", "a.json", "{\n \"a\": {\n  \"b\": [\n", []string{"syntax 4:1-4:1 19-19"}},
		{"JSON string", "a.json", "[\"a\", \"b", []string{"syntax 1:7-1:9 6-8"}},
		{"JSON escape", "a.json", "[\"a\", \"b\\x\"]", []string{"syntax 1:7-1:12 6-11"}},
		{"JSON half a surrogate pair", "a.json", `["\u00e9", "a\ud800x"]`, []string{"syntax 1:14-1:20 13-19"}},
		{"JSON half a surrogate pair in a key", "a.json", `{"\ud83d\ude00\\ud83d\udfff": 1}`, []string{"syntax 1:22-1:28 21-27"}},
		{"JSON whole pairs", "a.json", `{"\ud83d\ude00\\ud83d": 1}`, nil},
		{"JSON half an escape", "a.json", `["\u00e9\`, []string{"syntax 1:2-1:10 1-9"}},
		{"JSON root", "a.json", "1", []string{"syntax 1:1-1:2 0-1"}},
		{"JSON empty", "a.json", "", []string{"syntax 1:1-1:1 0-0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, diags := Parse(tt.file, []byte(tt.src))
			if diff := cmp.Diff(tt.want, found(diags)); diff != "" {
				t.Error(diff)
			}
			for _, d := range diags {
				if d.Summary == "" || d.Detail == "" || d.Range.File != tt.file {
					t.Errorf("incomplete: %+v", d)
				}
			}
		})
	}
}

func TestParseNative(t *testing.T) {
	src := []byte("\ufeffx = 1\n")
	file, diags := Parse("a.hcl", src)
	if diags != nil {
		t.Fatal(diags)
	}
	attr := file.Body.(*hclsyntax.Body).Attributes["x"]
	want := plangate.Range{File: "a.hcl", Start: plangate.Pos{Line: 1, Column: 1, Byte: 3}, End: plangate.Pos{Line: 1, Column: 2, Byte: 4}}
	if diff := cmp.Diff(want, Range(attr.NameRange)); diff != "" {
		t.Error(diff)
	}
}

func TestParseJSON(t *testing.T) {
	expr, diags := ParseJSON("a.json", []byte("\ufeff{\"a\": 1, \"a\": 2}"))
	if diags != nil {
		t.Fatal(diags)
	}
	if got := Range(expr.Range()).Start.Byte; got != 3 {
		t.Errorf("root starts at byte %d, want 3", got)
	}
	if _, diags := ParseJSON("a.json", []byte("{")); !diags.HasErrors() {
		t.Error("half a file has no errors")
	}
	if file, _ := Parse("a.json", []byte("\ufeff{}")); len(file.Bytes) != 5 {
		t.Errorf("file has %d bytes, want all 5", len(file.Bytes))
	}
}

func BenchmarkCheck(b *testing.B) {
	src := []byte(strings.Repeat("policy \"auto_approve_reads\" {\n  match  = { kind = \"data_source\" }\n  action = \"allow\"\n}\n", 5000))
	b.Run("check", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			Check("a.hcl", src)
		}
	})
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			Parse("a.hcl", src)
		}
	})
}
