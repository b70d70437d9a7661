package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	words := strings.TrimSpace(strings.Repeat("word ", 14)) // 69 columns
	long := "policyctl trust " + strings.Repeat("/directory", 9) + "/agent.hcl"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"fits", "a b", []string{"a b"}},
		{"breaks", words + " and more", []string{words + " and", "more"}},
		{"short command stays whole", words + " `a b c d`.", []string{words, "`a b c d`."}},
		{"long command alone", "Read it, then run `" + long + "`.", []string{"Read it, then run:", "  " + long}},
		{"text goes on", "Run `" + long + "`, then `ls`.", []string{"Run:", "  " + long, "then `ls`."}},
		{"two long commands", "`" + long + "`: `" + long + "`", []string{"  " + long, "  " + long}},
		{"long word is no command", "Run `" + strings.Repeat("x", 30) + "`.", []string{"Run `" + strings.Repeat("x", 30) + "`."}},
		{"one backtick", "a ` b", []string{"a ` b"}},
		{"three backticks", "`a` ` b", []string{"`a` ` b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, wrap(test.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestShellWord(t *testing.T) {
	tests := map[string]string{
		"":             "''",
		"/a/agent.hcl": "/a/agent.hcl",
		"a b":          "'a b'",
		"$(x);`y`":     "'$(x);`y`'",
		"it's":         `'it'\''s'`,
		"é":            "'é'",
	}
	for text, want := range tests {
		if got := shellWord(text); got != want {
			t.Errorf("shellWord(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestWrapMakesNoCommand(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("x", textWidth-2) + " ::error::y",
		strings.Repeat("x", textWidth-2) + " ##[error]y",
		"run `::error::" + strings.Repeat("x ", commandWidth) + "`",
	} {
		for _, line := range wrap(text) {
			if isGitHubCommand(line) {
				t.Errorf("%.30q makes the line %.30q", text, line)
			}
		}
	}
}
