package hclsource

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitLine(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{
			"arguments", `policy "a" { match = { kind = "resource", risk = "low" } action = "ask" }`,
			"policy \"a\" {\n  match  = { kind = \"resource\", risk = \"low\" }\n  action = \"ask\"\n}",
		},
		{"commas", `a { x = [1, 2], y = 2 }`, "a {\n  x = [1, 2]\n  y = 2\n}"},
		{"brace in a string", `a { x = "{ y = 1 }" y = "${z}" }`, "a {\n  x = \"{ y = 1 }\"\n  y = \"${z}\"\n}"},
		{"names as values", `a { x = b y = c == d }`, "a {\n  x = b\n  y = c == d\n}"},
		{"block in a block", `a { b { x = 1 } }`, "a {\n  b { x = 1 }\n}"},
		{"not closed", `a { x = 1`, "a {\n  x = 1"},
		{"comment", `a { x = 1 /* y */ y = 2 }`, ""},
		{"no items", `a { 1 }`, ""},
		{"no block", `x = 1`, ""},
		{"closed only", `}}}`, ""},
		{"long", "a { x = \"" + strings.Repeat("x", maxSplit) + "\" y = 1 }", ""},
		{"empty", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, splitLine([]byte(test.line))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSplitInDiagnostic(t *testing.T) {
	_, diags := Parse("a.hcl", []byte("\ufeffb {\n}\r\n  a { x = 1 y = 2 }\r\n"))
	if len(diags) != 1 || !strings.HasSuffix(diags[0].Detail, "\n\n  a {\n    x = 1\n    y = 2\n  }") {
		t.Errorf("diagnostics: %v", diags)
	}
}
