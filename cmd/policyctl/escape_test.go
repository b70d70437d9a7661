package main

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	tests := map[string]string{
		"":                          "",
		"plain ~ text \\ \"":        "plain ~ text \\ \"",
		"é 漢字 😀 e\u0301":            "é 漢字 😀 e\u0301",
		"a\nb\r\tc":                 `a\nb\r\tc`,
		"\x1b[2K\x07\x00\x7f":       `\x1b[2K\x07\x00\x7f`,
		"\u009b31m\u0085":           `\x9b31m\x85`,
		"\u202eevil\u2066\u200f":    `\u202eevil\u2066\u200f`,
		"a\u200bb\ufeffc\u00add":    `a\u200bb\ufeffc\xadd`,
		"a\ufe0fb\U000e0101c":       `a\ufe0fb\U000e0101c`,
		"\U000e0041\u3164\u115f":    `\U000e0041\u3164\u115f`,
		"a\u2028b\u2029c\u00a0d":    `a\u2028b\u2029c\xa0d`,
		"bad \xff\xc0\xaf utf-8":    `bad \xff\xc0\xaf utf-8`,
		"half \xed\xa0\x80":         `half \xed\xa0\x80`,
		"kept \ufffd":               "kept \ufffd",
		"private \ue000 \U0010ffff": `private \ue000 \U0010ffff`,
	}
	for text, want := range tests {
		if got := escape(text); got != want {
			t.Errorf("escape(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestEscapeLines(t *testing.T) {
	if got, want := escapeLines("a\x1b\nb\r\n"), "a\\x1b\nb\\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\x1b[0m\u202e\xff")
	f.Fuzz(func(t *testing.T, text string) {
		shown := escape(text)
		if !utf8.ValidString(shown) {
			t.Fatalf("%q is not UTF-8", shown)
		}
		for _, r := range shown {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector) {
				t.Fatalf("%q shows %U", shown, r)
			}
		}
		if again := escape(shown); again != shown {
			t.Fatalf("%q is escaped again to %q", shown, again)
		}
	})
}
