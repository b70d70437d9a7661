package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plangate/plangate"
)

// rangeOf returns the range of the first occurrence of part in text.
func rangeOf(text, part string) plangate.Range {
	start := strings.Index(text, part)
	line := strings.Count(text[:start], "\n") + 1
	return plangate.Range{
		Start: plangate.Pos{Line: line, Column: 1, Byte: start},
		End:   plangate.Pos{Line: line + strings.Count(part, "\n"), Column: 1, Byte: start + len(part)},
	}
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	tests := map[string]struct {
		text, part, line, underline string
	}{
		"middle":       {"a\n  b = cc d\ne", "cc", "  b = cc d", "      ^^"},
		"empty range":  {"abc", "", "abc", "^"},
		"at the end":   {"abc\n", "c", "abc", "  ^"},
		"line end":     {"abc\r\ndef", "c", "abc", "  ^"},
		"tab":          {"\tb = c", "c", "    b = c", "        ^"},
		"wide":         {"漢字 = c", "c", "漢字 = c", "       ^"},
		"wide subject": {"a 漢字 c", "漢字", "a 漢字 c", "  ^^^^"},
		"combining":    {"e\u0301 = c", "c", "e\u0301 = c", "    ^"},
		"escape":       {"a\x1b[2K c", "c", `a\x1b[2K c`, "         ^"},
		"bidi":         {"\u202e c", "c", `\u202e c`, "       ^"},
		"not UTF-8":    {"\xff c", "c", `\xff c`, "     ^"},
		"order mark":   {"\ufeffa c", "c", "a c", "  ^"},
		"many lines":   {"a {\n b\n}", "{\n b\n}", "a {", "  ^"},
		"long before":  {long + "|", "|", "…" + long[:beforeWidth] + "|", strings.Repeat(" ", beforeWidth+1) + "^"},
		"long after":   {"|" + long, "|", "|" + long[:afterWidth] + "…", "^"},
		"long subject": {long, long, long[:subjectWidth] + "…" + long[:afterWidth] + "…", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s, ok := newSource([]byte(test.text)).snippet(rangeOf(test.text, test.part))
			if !ok {
				t.Fatal("no snippet")
			}
			if name == "long subject" {
				if !strings.HasPrefix(s.line(), long[:subjectWidth]+"…") || columns(s.line()) > subjectWidth+afterWidth+2 {
					t.Errorf("line of %d columns", columns(s.line()))
				}
				return
			}
			if diff := cmp.Diff([]string{test.line, test.underline}, []string{s.line(), s.underline()}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSnippetWithoutPlace(t *testing.T) {
	at := func(line, start, end int) plangate.Range {
		return plangate.Range{Start: plangate.Pos{Line: line, Byte: start}, End: plangate.Pos{Line: line, Byte: end}}
	}
	for _, r := range []plangate.Range{at(0, 0, 0), at(1, 4, 5), at(1, -1, 2), at(1, 2, 1)} {
		if s, ok := newSource([]byte("abc")).snippet(r); ok {
			t.Errorf("%v gave %q", r, s.line())
		}
	}
}

func TestLineAt(t *testing.T) {
	const text = "ab\n\ncd\n"
	s := newSource([]byte(text))
	want := []string{"ab", "ab", "ab", "", "cd", "cd", "cd", ""}
	for at, line := range want {
		first, last := s.lineAt(at)
		if got := text[first:last]; got != line {
			t.Errorf("byte %d: line %q, want %q", at, got, line)
		}
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("a\n\tb = \x1bcc 漢 d\ne", 4, 2)
	f.Add(strings.Repeat("é", 300), 100, 300)
	f.Fuzz(func(t *testing.T, text string, start, size int) {
		r := plangate.Range{
			Start: plangate.Pos{Line: 1, Byte: start}, End: plangate.Pos{Line: 1, Byte: start + size},
		}
		s, ok := newSource([]byte(text)).snippet(r)
		if !ok {
			return
		}
		if got := columns(s.line()); got > 2*(beforeWidth+subjectWidth+afterWidth) {
			t.Fatalf("line of %d columns", got)
		}
		if escape(s.line()) != s.line() {
			t.Fatalf("%q is not safe to show", s.line())
		}
	})
}
