package command

import (
	"strings"
	"testing"
)

// adversarial texts are as large as is read at all.
var adversarial = map[string]string{
	"substitutions":   strings.Repeat("$(", 9000) + "x" + strings.Repeat(")", 9000),
	"unclosed":        strings.Repeat("$(", 9900),
	"quoted closers":  strings.Repeat(`$( ")" `, 9000),
	"subshells":       strings.Repeat("(", 9900),
	"blocks":          strings.Repeat("{ ", 9900),
	"quoted":          strings.Repeat(`"$(`, 9900),
	"parameters":      strings.Repeat("${x:-", 9900),
	"arithmetic":      "$((" + strings.Repeat("(", 9900),
	"minus":           "((" + strings.Repeat("- ", maxText/2-10),
	"not":             "((" + strings.Repeat("!", maxText-10),
	"powers":          "((" + strings.Repeat("2**", maxText/3-10),
	"ternaries":       "((" + strings.Repeat("1?", maxText/2-10),
	"sums":            "((" + strings.Repeat("1+", maxText/2-10) + "1))",
	"tests":           "[[ " + strings.Repeat("! ", maxText/2-10),
	"test chain":      "[[ a" + strings.Repeat(" && a", maxText/5-10) + " ]]",
	"ifs":             strings.Repeat("if ", maxText/3-10),
	"whiles":          strings.Repeat("while ", maxText/6-10),
	"cases":           strings.Repeat("case x in x) ", maxText/13-10),
	"functions":       strings.Repeat("f() ", 9900),
	"function words":  strings.Repeat("function f ", maxText/11-10),
	"time":            strings.Repeat("time ", maxText/5-10),
	"coproc":          strings.Repeat("coproc ", maxText/7-10),
	"pipes":           strings.Repeat("a|", maxText/2-10) + "a",
	"ands":            strings.Repeat("a&&", maxText/3-10) + "a",
	"lines":           strings.Repeat("a\n", maxText/2-10),
	"backquotes":      strings.Repeat("`a`", 3000),
	"here-documents":  strings.Repeat("a <<E;", maxText/6-10) + "\n" + strings.Repeat("E\n", 100),
	"one here-doc":    "cat <<E\n" + strings.Repeat("x $y\n", maxText/5-10) + "E",
	"words":           "a" + strings.Repeat(" b", maxText/2-10),
	"one word":        strings.Repeat("a", maxText),
	"quotes":          "a " + strings.Repeat(`''`, maxText/2-10),
	"wrappers":        strings.Repeat("env ", maxText/4-10) + "rm",
	"shells":          strings.Repeat("sh -c ", maxText/6-10),
	"redirections":    "a" + strings.Repeat(">b", maxText/2-10),
	"assignments":     strings.Repeat("a=b ", maxText/4-10),
	"array":           "a=(" + strings.Repeat("b ", maxText/2-10) + ")",
	"elifs":           "if a; then b; " + strings.Repeat("elif a; then b; ", maxText/16-10) + "fi",
	"execs":           "find" + strings.Repeat(" -exec a ;", maxText/10-10),
	"escaped execs":   "find" + strings.Repeat(` -exec a \;`, maxText/11-10),
	"git options":     "git" + strings.Repeat(" -c a.b=c", maxText/9-10),
	"aliases":         "git" + strings.Repeat(" -c alias.x=y", maxText/14-10) + " x",
	"braces":          "a " + strings.Repeat("{a,", 9900),
	"globs":           "a " + strings.Repeat("[", 9900),
	"too large":       strings.Repeat("x", 1<<20),
	"deep and large":  strings.Repeat("$(", 1<<19),
	"nul":             strings.Repeat("\x00", maxText),
	"not UTF-8":       strings.Repeat("\xff", maxText),
	"comments":        strings.Repeat("#x\n", maxText/3-10),
	"commented pipes": strings.Repeat("a | #x\n", maxText/7-10) + "a",
	"semicolons":      strings.Repeat(";", maxText),
	"newlines":        strings.Repeat("\n", maxText),
	"continuations":   strings.Repeat("\\\n", maxText/2),
	"extended globs":  "a " + strings.Repeat("@(", 9900),
	"dollars":         strings.Repeat("$", maxText),
	"escapes":         "$'" + strings.Repeat(`\x41`, maxText/4-10) + "'",
}

func TestAdversarial(t *testing.T) {
	rm, err := Compile("rm -rf a b")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range adversarial {
		t.Run(name, func(t *testing.T) {
			for _, c := range Parse(text, Bash).Commands {
				rm.Match(c, Restrictive)
				rm.Match(c, Permissive)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	tests := []struct {
		name, text string
		want       Code
	}{
		{"size", "a " + strings.Repeat("x", maxText), TooLarge},
		{"openers", "a" + strings.Repeat("$(b)", maxOpeners+1), TooLarge},
		{"commands", strings.Repeat("a;", maxCommands+1), TooLarge},
		{"depth", strings.Repeat("{ ", maxDepth+1) + "a" + strings.Repeat("; }", maxDepth+1), TooLarge},
		{"syntax", "a; (", Syntax},
		{"control", "a\r", ControlBytes},
	}
	for _, test := range tests {
		script := Parse(test.text, Bash)
		if len(script.Unknown) == 0 || script.Unknown[0].Code != test.want {
			t.Errorf("%s: unknown %v, want %s", test.name, script.Unknown, test.want)
		}
		last := script.Commands[len(script.Commands)-1]
		if last.Certain() {
			t.Errorf("%s: the last command is certain", test.name)
		}
	}
	for _, text := range []string{"", " ", "\n", "# x", "echo " + strings.Repeat("( ", 3000) + "'"} {
		if script := Parse(text, Bash); len(script.Commands) > 1 {
			t.Errorf("%.20q: %d commands", text, len(script.Commands))
		}
	}
}

func TestShells(t *testing.T) {
	tests := []struct {
		shell   Shell
		text    string
		unknown bool
	}{
		{Bash, "ls", false}, {Sh, "ls", false}, {Zsh, "ls", false},
		{NoShell, "ls", true}, {PowerShell, "ls", true}, {Cmd, "dir", true},
		{Bash, "((1))", false}, {Sh, "((1))", true}, // two subshells for a plain sh
		{Bash, "[[ -n a && b ]]", false}, {Sh, "[[ -n a && b ]]", true},
		{Zsh, "ls *(e:'rm x':)", true}, {Zsh, "echo x >! f", true}, {Zsh, "=rm x", true},
		{Sh, "$'rm' x", true}, {Bash, "$'rm' x", false},
	}
	for _, test := range tests {
		script := Parse(test.text, test.shell)
		certain := true
		for _, c := range script.Commands {
			certain = certain && c.Certain()
		}
		if certain == test.unknown {
			t.Errorf("%v %q: certain %v", test.shell, test.text, certain)
		}
	}
}

func TestDir(t *testing.T) {
	tests := map[string]string{
		"x":                              "",
		"cd a && x":                      "a",
		"cd a && cd b && x":              "a/b",
		"cd a && cd ../c && x":           "c",
		"cd /a && cd b && x":             "/a/b",
		"cd ~/a && x":                    "~/a",
		"cd && x":                        "~",
		"cd -- a && x":                   "a",
		"command cd a && x":              "a",
		"cd \"$PWD/a\" && x":             "a",
		"(cd a && y); x":                 "",
		"cd a | y; x":                    "?",
		"cd a; x":                        "?", // cd may have failed
		"cd a || exit; x":                "?",
		"cd a || x":                      "",
		"! cd a || x":                    "a",
		"cd $X && x":                     "?",
		"cd - && x":                      "?",
		"pushd a && x":                   "?",
		"if cd a; then x; fi":            "a",
		"if cd a; then y; else x; fi":    "",
		"for i in 1 2; do x; cd a; done": "?",
		"f() { cd a; }; f; x":            "?",
		"eval \"$X\"; x":                 "?",
		"env -C a x":                     "?",
		"$(cd a); x":                     "?",
		"y $(cd a); x":                   "",
		"cd a & x":                       "",
		"bash -c 'cd a'; x":              "",
		"cd '~' && x":                    "~?",
	}
	for text, want := range tests {
		list := Parse(text, Bash).Commands
		got := "-"
		for _, c := range list {
			if c.Program.Text != "x" {
				continue
			}
			got = c.Dir
			if c.DirUnknown {
				got = "?"
			}
		}
		if want == "~?" {
			want = "./~"
		}
		if got != want {
			t.Errorf("%s: directory %q, want %q", text, got, want)
		}
	}
}
