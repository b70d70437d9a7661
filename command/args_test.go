package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParseArgs covers CMD-23.
func TestParseArgs(t *testing.T) {
	tests := []struct {
		args  []string
		quote string
		want  string
	}{
		{[]string{"git", "push", "-f"}, "git push -f", "git push -f"},
		{[]string{"bash", "-lc", "git push && ls"}, "bash -lc 'git push && ls'", "git push; ls"},
		{[]string{"echo", "it's", "", "$X", "a\nb", "*"}, `echo 'it'\''s' '' '$X' 'a` + "\n" + `b' '*'`, "echo it's  $X a\nb *"},
		{[]string{"A=1", "x"}, "'A=1' x", "A=1 x"},
		{[]string{"x", "A=1"}, "x 'A=1'", "x A=1"},
		{[]string{"if", "if"}, "'if' if", "if if"},
		{[]string{"export", "A"}, "'export' A", "export A"},
		{[]string{"time", "rm", "x"}, "'time' rm x", "rm x"},
		{[]string{"sudo", "rm", "x"}, "sudo rm x", "rm x"},
		{[]string{"~/x", "~"}, "'~/x' '~'", "~/x ~"},
		{[]string{"!", "{", "rm", "}", ";"}, "'!' '{' rm '}' ';'", "! { rm } ;"},
		{[]string{""}, "''", ""},
		{nil, "", ""},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.quote, Quote(test.args)); diff != "" {
			t.Errorf("%q: %s", test.args, diff)
		}
		script := ParseArgs(test.args, Bash)
		var got []string
		for _, c := range script.Commands {
			words := []string{c.Program.Text}
			for _, a := range c.Args {
				words = append(words, a.Text)
			}
			got = append(got, strings.Join(words, " "))
		}
		if diff := cmp.Diff(test.want, strings.Join(got, "; ")); diff != "" || len(script.Unknown) > 0 {
			t.Errorf("%q: %v %s", test.args, script.Unknown, diff)
		}
	}
}

func TestParseArgsUnknown(t *testing.T) {
	tests := []struct {
		arg   string
		shell Shell
		want  []Code
	}{
		{"a\x00b", Bash, []Code{ControlBytes}},
		{"\xff", Bash, []Code{ControlBytes, Syntax}},
		{"a", PowerShell, []Code{OtherShell}},
		{"a", NoShell, []Code{OtherShell}},
		{"a", Sh, nil},
		{"$'a'", Sh, nil},
		{"=a", Zsh, nil},
	}
	for _, test := range tests {
		var got []Code
		for _, r := range ParseArgs([]string{"x", test.arg}, test.shell).Unknown {
			got = append(got, r.Code)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q: %s", test.arg, diff)
		}
	}
}

// TestReservedWords: no first word becomes more than the name of a program.
func TestReservedWords(t *testing.T) {
	for word := range strings.FieldsSeq("if then elif else fi for while until do done case esac select in function time coproc let declare typeset local export readonly nameref ! { } [[ ]]") {
		script := ParseArgs([]string{word, "x"}, Bash)
		c := script.Commands[0]
		for c.Outer != nil {
			c = c.Outer
		}
		if len(script.Unknown) > 0 || c.Program.Text != word || len(c.Args) != 1 {
			t.Errorf("%s: %v %q", word, script.Unknown, c.Program.Text)
		}
	}
}
