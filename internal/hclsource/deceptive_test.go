package hclsource

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDeceptive(t *testing.T) {
	tests := []struct {
		name, file, src string
		want            []string
	}{
		{"fine", "a.hcl", "# \u00e9 \u4e16 \u202f \u200d\r\nx = 1\n", nil},
		{"behind a mark and wide text", "a.hcl", "\ufeff# e\u0301\u202a\u202b\n\n#\u2069\n", []string{
			"deceptive_text 1:4-1:5 8-11", "deceptive_text 3:2-3:3 17-20"}},
		{"carriage returns", "a.hcl", "a\r\r\nb\r", []string{"deceptive_text 1:2-1:3 1-2", "deceptive_text 2:2-2:3 5-6"}},
		{"tab in JSON", "a.json", "\t\u2029", []string{"deceptive_text 1:3-1:4 1-4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, found(Deceptive(tt.file, []byte(tt.src)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDeceptiveCharacters has every character of LNG-43, and their neighbours.
func TestDeceptiveCharacters(t *testing.T) {
	for c := rune(0x80); c < 0x3000; c++ {
		want := strings.ContainsRune("\u0085\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", c)
		if got := len(Deceptive("a.hcl", fmt.Appendf(nil, "a%cb", c))) == 1; got != want {
			t.Errorf("U+%04X: got %t", c, got)
		}
	}
}

func TestDeceptiveIsBounded(t *testing.T) {
	src := []byte(strings.Repeat("\u202e\n", 1_000_000))
	if n := len(Deceptive("a.hcl", src)); n != maxDeceptive {
		t.Errorf("%d findings, want %d", n, maxDeceptive)
	}
	if n := len(Deceptive("a.hcl", []byte(strings.Repeat("\u202e", 1_000_000)))); n != 1 {
		t.Errorf("%d findings on one line, want 1", n)
	}
}
