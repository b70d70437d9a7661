package dsl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func TestFormat(t *testing.T) {
	const want = "policy \"a\" {\n  match  = { operation = \"x\" } # c\n  action = \"deny\"              # d\n}\n"
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	tests := []struct{ name, src, want string }{
		{"empty", "", ""},
		{"blank", "\n \n\n", ""},
		{"only BOM", "\ufeff", "\ufeff"},
		{"canonical", want, want},
		{"crooked", "policy   \"a\"{\n match={operation=\"x\"}# c\n\taction = \"deny\" # d\n  }", want},
		{"blank lines at the end", want + "\n\n  \n", want},
		{"no line end at the end", strings.TrimSuffix(want, "\n"), want},
		{"comment at the end", "# c", "# c\n"},
		{"comment at the end with blanks", "# c  ", "# c  \n"},
		{"block comment at the end", "/* c */", "/* c */\n"},
		{"CRLF", crlf(want), crlf(want)},
		{"crooked CRLF with BOM", "\ufeff" + crlf("policy   \"a\"{\n match={operation=\"x\"}# c\n\taction = \"deny\" # d\n  }"), "\ufeff" + crlf(want)},
		{"mostly CRLF", crlf("a {\n}\n\n") + "# c\n", crlf("a {\n}\n\n# c\n")},
		{"mostly LF", "a {\n}\n\n# c\r\n", "a {\n}\n\n# c\n"},
		{"line ends in a here-document", "a {\n  x = <<E\na\r\nE\n}\n", "a {\n  x = <<E\na\r\nE\n}\n"},
		{"here-document", "a {\n x=<<-E\n   one ${ y }\n  E\n}\n", "a {\n  x = <<-E\n   one ${y}\n  E\n}\n"},
		{"here-document at the end", "x=<<E\nE\n", "x = <<E\nE\n"},
		{"comments in a match", "policy \"a\" {\nmatch = { # one\n# two\noperation = \"x\", # three\n/* four */ provider = \"y\" // five\n# six\n}\n}\n",
			"policy \"a\" {\n  match = { # one\n    # two\n    operation           = \"x\", # three\n    /* four */ provider = \"y\"  // five\n    # six\n  }\n}\n"},
		{"comments in a list", "a {\n  x = [ \"a\", # one\n\"b\" # two\n# three\n]\n} # four\n# five\n",
			"a {\n  x = [\"a\", # one\n    \"b\"     # two\n    # three\n  ]\n} # four\n# five\n"},
		{"duplicate attributes are no syntax error", "a {\nx=1\nx=2\n}\n", "a {\n  x = 1\n  x = 2\n}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, diags := Format("agent.hcl", []byte(tt.src))
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			again, _ := Format("agent.hcl", got)
			if diff := cmp.Diff(string(got), string(again)); diff != "" {
				t.Error("not stable:", diff)
			}
		})
	}
}

func TestFormatRefuses(t *testing.T) {
	tests := []struct{ name, file, src, code string }{
		{"JSON", "agent.hcl.json", "{ }", codeFormatJSON},
		{"syntax", "agent.hcl", "a {\n  x = ]\n}\n", codeSyntax},
		{"single line", "agent.hcl", "a { x = 1 y = 2 }\n", codeSingleLine},
		{"encoding", "agent.hcl", "# \xfc", "file_encoding"},
		{"nesting", "agent.hcl", "x = " + strings.Repeat("(", MaxDepth+1), "nesting_too_deep"},
		{"tokens would merge", "agent.hcl", "x = a.0 .1\n", codeFormatUnsafe},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, diags := Format(tt.file, []byte(tt.src))
			if string(got) != tt.src || len(diags) != 1 || diags[0].Code != tt.code {
				t.Errorf("%q, %v", got, diags)
			}
		})
	}
}

// TestFormatKeepsSource: the caller's bytes are not written to.
func TestFormatKeepsSource(t *testing.T) {
	const text = "x  = 1 # c\r\n"
	src := []byte(text + "more")[:len(text)]
	if _, diags := Format("agent.hcl", src); diags != nil {
		t.Fatal(diags)
	}
	if string(src[:len(text)+4]) != text+"more" {
		t.Errorf("source is now %q", src[:len(text)+4])
	}
}

// commentsOf returns the comments of a text in order.
func commentsOf(text []byte) (list []string) {
	for _, token := range lex(text) {
		if token.Type == hclsyntax.TokenComment {
			list = append(list, strings.TrimRight(string(token.Bytes), "\r\n"))
		}
	}
	return list
}
