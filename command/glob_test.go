package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPatternAndSuffix covers CMD-24.
func TestPatternAndSuffix(t *testing.T) {
	type parts struct{ Pattern, Suffix string }
	tests := map[string]parts{
		// Patterns.
		"*.go": {"*.go", ".go"}, "a?b": {"a?b", "b"}, "d/[ab]*": {"d/[ab]*", ""}, "[!a-z].x": {"[!a-z].x", ".x"}, `"a*"*`: {`a\**`, ""}, `'[x]'*y`: {`\[x\]*y`, "y"}, `*""*`: {"", ""}, `[a]"b"*`: {"", ""}, `a\**b`: {`a\**b`, "b"},
		`'{a}'*`: {`\{a\}*`, ""}, `"\$"*`: {"$*", ""}, "~/*.go": {"~/*.go", ".go"}, `'~'/*`: {"", ""}, "a~*": {"a~*", ""}, "*'\\'": {`*\\`, `\`},
		"**": {"", ""}, "a/**/b": {"", "/b"}, "*[x": {"", "x"}, "[]a]b": {"", "b"}, "[!]a]": {"", ""}, "[[:alpha:]]x": {"", "x"}, "[a/b]c": {"", "c"}, "*]x": {"", "x"},
		"{a,b}*": {"", ""}, "{a,b}.go": {"", ".go"}, "a{*": {"", ""}, "*~u": {"*~u", ""}, "~u/*": {"", ""}, "@(a|b)*.go": {"", ""}, "*@(a)": {"", ""},
		"$x*.go": {"", ""}, `"$x"*.go`: {"", ".go"}, "$(a)*": {"", ""}, "*$'a'": {"", ""}, "x=*": {"x=*", ""}, "x=~/*": {"", ""},

		// Ends.
		`"$d/x.go"`: {"", "/x.go"}, `"$d"/x'.'"go"`: {"", "/x.go"}, `"$d"`: {"", ""}, `"$d$e/x"`: {"", "/x"}, `"$d/x"$e`: {"", ""}, "$d/x": {"", ""}, `"$(a)/x"`: {"", "/x"}, `"$@/x"`: {"", ""},
		`"${a[@]}/x"`: {"", ""}, `"${a:-b}/x"`: {"", ""}, `"$d"{a,b}/x`: {"", "/x"}, `"$d"\*x`: {"", "*x"}, `"$d\"x"`: {"", `"x`}, `"$d"$'x'`: {"", ""}, `~/"$d"/x`: {"", "/x"}, "~u/x": {"", "/x"},
		"--f=~/x": {"", "/x"}, "a=~": {"", ""}, "<(a)": {"", ""}, `"$d"~x`: {"", ""}, "plain": {}, "'a*'": {}, "$HOME/x": {},
	}
	got := map[string]parts{}
	for text := range tests {
		c := lastCommand(t, "q "+text)
		got[text] = parts{c.Args[0].Pattern, c.Args[0].Suffix}
	}
	if diff := cmp.Diff(tests, got); diff != "" {
		t.Error(diff)
	}
}

func TestPatternInZsh(t *testing.T) {
	tests := map[string]string{"*.go": "*.go .go", "*~x.go": " ", "a#*": " ", "^a*": " ", "=a*": " ", "~/*": "~/* ", "~/*^a": " "}
	got := map[string]string{}
	for text := range tests {
		word := Parse("q "+text, Zsh).Commands[0].Args[0]
		got[text] = word.Pattern + " " + word.Suffix
	}
	if diff := cmp.Diff(tests, got); diff != "" {
		t.Error(diff)
	}
}
