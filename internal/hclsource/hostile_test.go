package hclsource

import (
	"strings"
	"testing"
)

// TestHostile feeds what would overflow the parser's stack or keep it busy for
// minutes. Returning at all is the point; the code says who refused it.
func TestHostile(t *testing.T) {
	const n = 100_000
	times := strings.Repeat
	tests := []struct{ name, file, src, code string }{
		{"parentheses", "a.hcl", "x = " + times("(", n), codeTooDeep},
		{"closed parentheses", "a.hcl", "x = " + times("(", n) + "1" + times(")", n), codeTooDeep},
		{"brackets", "a.hcl", "x = " + times("[", n), codeTooDeep},
		{"objects", "a.hcl", "x = " + times("{ a = ", n), codeTooDeep},
		{"blocks", "a.hcl", times("a {\n", n), codeTooDeep},
		{"interpolations", "a.hcl", "x = " + times(`"${`, n), codeTooDeep},
		{"directives", "a.hcl", `x = "` + times("%{if a}", n) + `"`, codeTooDeep},
		{"heredocs", "a.hcl", "x = " + times("<<E\n${", n), codeTooDeep},
		{"calls", "a.hcl", "x = " + times("f(", n), codeTooDeep},
		{"bang", "a.hcl", "x = " + times("!", n) + "a", codeTooDeep},
		{"minus", "a.hcl", "x = " + times("-", n) + "a", codeTooDeep},
		{"minus after a character that is no letter", "a.hcl", "x = \u20ac" + times("-", n) + "a", codeTooDeep},
		{"bangs on lines in parentheses", "a.hcl", "x = (" + times("!\n", n) + "a)", codeTooDeep},
		{"bangs on lines in a for object", "a.hcl", "x = { # c\n for a in b : a => " + times("!\n", n) + "a}", codeTooDeep},
		{"conditionals to the right", "a.hcl", "x = " + times("a ? b : ", n) + "c", codeTooDeep},
		{"conditionals in the middle", "a.hcl", "x = " + times("a ? ", n), codeTooDeep},
		{"conditionals spread over brackets", "a.hcl", "x = " + times("("+times("a ? ", 90), 90), codeTooDeep},
		{"sums", "a.hcl", "x = 1" + times(" + 1", n), codeTooDeep},
		{"ands", "a.hcl", "x = a" + times(" && a", n), codeTooDeep},
		{"splats", "a.hcl", "x = a" + times("[*]", n), codeTooDeep},
		{"attribute splats", "a.hcl", "x = a" + times(".*", n), codeTooDeep},
		{"indexes", "a.hcl", "x = a" + times("[b]", n), codeTooDeep},
		{"namespaces", "a.hcl", "x = a" + times("::a", n) + "()", codeTooDeep},
		{"for expressions", "a.hcl", "x = " + times("[for a in ", n), codeTooDeep},
		{"behind a string that looks open", "a.hcl", `x = "\\" + ` + times("(", n), codeTooDeep},
		{"behind a comment that looks open", "a.hcl", "x = /* \" */ " + times("(", n), codeTooDeep},
		{"behind a heredoc end", "a.hcl", "x = <<E\n\"\nE\ny = " + times("(", n), codeTooDeep},
		{"behind an unclosed comment", "a.hcl", "x = /* " + times("(", n), codeTooDeep},
		{"behind an unclosed string", "a.hcl", "x = \"\n" + times("${[", n), codeTooDeep},
		{"unclosed comments", "a.hcl", times("/*,", n), codeTooLarge},
		{"digits", "a.hcl", "x = " + times("1", n), codeSyntax},
		{"heredoc lines", "a.hcl", "x = <<E\n" + times("\n", n) + "E\n", codeTooLarge},
		{"unclosed heredoc", "a.hcl", "x = <<E\n" + times("\n", n), codeTooLarge},
		{"signs", "a.hcl", `x = "` + times("$a", n) + `"`, codeTooLarge},
		{"interpolations in a row", "a.hcl", `x = "` + times("${a}", n) + `"`, codeTooDeep},
		{"characters", "a.hcl", times("\u20ac", n), codeSyntax},
		{"tokens", "a.hcl", times("a ", 5_000_000) + times(". ", 5_000_000), codeTooDeep},
		{"words", "a.hcl", times("a ", 4_100_000), codeTooLarge},
		{"bytes", "a.hcl", times("#", MaxBytes+1), codeTooLarge},
		{"JSON arrays", "a.json", times("[", n), codeTooDeep},
		{"JSON objects", "a.json", times(`{"a":`, n), codeTooDeep},
		{"JSON behind a quote in a cluster", "a.json", "[\"\u0600\" \" " + times("[", n), codeTooDeep},
		{"JSON template", "a.json", `{"a": "${` + times("(", n) + `"}`, codeTooDeep},
		{"JSON template spelt with escapes", "a.json", `{"a": "\u0024\u007b` + times(`\u0028`, n) + `"}`, codeTooDeep},
		{"JSON template operators", "a.json", `{"a": "${` + times("!", n) + `}"}`, codeTooDeep},
		{"JSON template behind an unclosed comment", "a.json", `{"a": "${/* ` + times("(", n) + `"}`, codeTooDeep},
		{"JSON template behind an unclosed string", "a.json", `{"a": "${\"\n` + times("${(", n) + `"}`, codeTooDeep},
		{"JSON digits", "a.json", times("1", n), codeSyntax},
		{"JSON tokens", "a.json", "[" + times("1,", 5_000_000), codeTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, diags := Parse(tt.file, []byte(tt.src))
			if len(diags) != 1 || diags[0].Code != tt.code {
				t.Errorf("diagnostics %v, want one %s", diags, tt.code)
			}
		})
	}
}

// TestGenerous parses what is large but harmless.
func TestGenerous(t *testing.T) {
	tests := []struct{ name, file, src string }{
		{"100,000 policies", "a.hcl", strings.Repeat("policy \"auto_approve_reads\" {\n  match  = { kind = \"data_source\" }\n  action = \"allow\"\n}\n", 100_000)},
		{"long list", "a.hcl", "x = [\n" + strings.Repeat("\"a-b.c\", [1], a[0] + 2 ? 1 : 2,\n", 10_000) + "]\n"},
		{"large object", "a.hcl", "x = {\n" + strings.Repeat("a = !b\n", 10_000) + "}\n"},
		{"long here-document", "a.hcl", "x = <<EOT\n" + strings.Repeat("A line of about forty characters, or so.\n", 5_000) + "EOT\n"},
		{"long string", "a.hcl", `x = "` + strings.Repeat("x", 1<<20) + "\"\n"},
		{"brackets in a string", "a.hcl", `x = "` + strings.Repeat("([{", 100_000) + "\"\n"},
		{"brackets in a comment", "a.hcl", "# " + strings.Repeat("([{", 100_000) + "\n/*" + strings.Repeat("([{\n", 100_000) + "*/"},
		{"brackets in a here-document", "a.hcl", "x = <<E\n" + strings.Repeat("([{", 100_000) + "\nE\n"},
		{"escaped template", "a.hcl", `x = "` + strings.Repeat("$${ %%{", 1_000) + "\"\n"},
		{"the limit", "a.hcl", "x = " + strings.Repeat("(", MaxDepth) + "1" + strings.Repeat(")", MaxDepth) + "\n"},
		{"all limits at once", "a.hcl", "x = " + strings.Repeat("(", MaxDepth) + strings.Repeat("a ? b : ", MaxOperators/2-1) +
			"c" + strings.Repeat(")", MaxDepth) + "\n"},
		{"JSON string", "a.json", `{"a": "` + strings.Repeat("[{", 100_000) + `"}`},
		{"JSON shell", "a.json", `{"a": "${x/* and \n \"${y"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, diags := Parse(tt.file, []byte(tt.src)); len(diags) > 0 {
				t.Error(diags[0])
			}
		})
	}
}
