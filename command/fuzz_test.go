package command

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzParse: no panic, and a script never looks better for having more in it.
func FuzzParse(f *testing.F) {
	g := &generator{rand: rand.New(rand.NewPCG(7, 7))}
	for range 200 {
		f.Add(g.script())
	}
	for _, test := range wrapperTests {
		f.Add(test.text)
	}
	allow := compiled(f, "p0", "p1 a", "=q a", "echo *", "git status", "find", "sort", "xargs", "bash", "env", "x")
	deny := compiled(f, "p0 -x", "rm -rf", "git push --force", "=p2", "q * b", "/bin/sh")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		script := Parse(text, Bash)
		for _, c := range script.Commands {
			if c.Pos < 0 || c.End < c.Pos || c.End > len(text) {
				t.Fatalf("place %d to %d of %d", c.Pos, c.End, len(text))
			}
			checkReach(t, c)
		}
		for _, end := range []string{"; x", "\nx"} {
			if strings.HasSuffix(text, "\\") || end == "\nx" && len(script.Unknown) > 0 {
				continue // that would quote the separator, or complete what was open
			}
			more := Parse(text+end, Bash)
			if allows(more, allow) && !allows(script, allow) {
				t.Errorf("appending a command made it allowed")
			}
			if touched(script, deny) == Yes && touched(more, deny) == No {
				t.Errorf("appending a command hid a denied one")
			}
		}
		for _, name := range []string{"git-push", "git-commit", "git-rebase"} {
			if Grant(name, text, "b") && (len(script.Commands) != 1 || len(script.Unknown) > 0) {
				t.Errorf("%s granted to what is not one plain command", name)
			}
		}
		for _, shell := range []Shell{Sh, Zsh} {
			Parse(text, shell)
		}
		if p, err := Compile(text); err == nil {
			touched(script, []*Pattern{p})
		}
	})
}

func compiled(f *testing.F, texts ...string) []*Pattern {
	f.Helper()
	var list []*Pattern
	for _, text := range texts {
		p, err := Compile(text)
		if err != nil {
			f.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func allows(s *Script, patterns []*Pattern) bool {
	for _, c := range s.Commands {
		answer := No
		for _, p := range patterns {
			answer = answer.or(p.Match(c, Permissive))
		}
		if answer != Yes || len(c.Writes()) > 0 {
			return false
		}
	}
	return true
}

func touched(s *Script, patterns []*Pattern) Answer {
	answer := No
	for _, c := range s.Commands {
		for _, p := range patterns {
			answer = answer.or(p.Match(c, Restrictive))
		}
	}
	return answer
}

// checkReach: the words that may name files or hosts are bounded by the text,
// and what is certain of them fits together.
func checkReach(t *testing.T, c *Command) {
	t.Helper()
	for f := c; f != nil; f = f.Outer {
		words, _ := f.HostWords()
		if n, m := len(f.Operands()), len(words); n > (3*maxParts+6)*len(f.Args) || m > (maxParts+2)*len(f.Args)+len(f.Redirects)+len(f.Assigns)+1 {
			t.Errorf("%d operands and %d hosts of %d words", n, m, len(f.Args))
		}
		if f.IgnoresFiles() && !f.OnlyReads() || f.WorksInDir() && !f.Recursive() {
			t.Errorf("%s: contradiction", f.Program.Text)
		}
		for _, w := range f.Args {
			if w.Known && w.Pattern+w.Suffix != "" || w.Pattern != "" && !strings.HasSuffix(w.Pattern, w.Suffix) && !strings.Contains(w.Pattern, `\`) {
				t.Errorf("pattern %q, suffix %q", w.Pattern, w.Suffix)
			}
		}
	}
}

// FuzzParseArgs: the arguments come back as they were (spec CMD-23).
func FuzzParseArgs(f *testing.F) {
	f.Add("git", "push", "-f")
	f.Add("if", "a'b", "$x")
	f.Add("A=1", "#", "\\\n")
	f.Add("x", "`", "'#")
	f.Fuzz(func(t *testing.T, program, a, b string) {
		script := ParseArgs([]string{program, a, b}, Bash)
		if len(script.Unknown) > 0 {
			return
		}
		c := script.Commands[len(script.Commands)-1]
		for c.Outer != nil {
			c = c.Outer
		}
		if c.Program.Text != program || len(c.Args) != 2 || c.Args[0].Text != a || c.Args[1].Text != b || !c.Args[0].Known || !c.Args[1].Known {
			t.Errorf("%q became %+v", []string{program, a, b}, c)
		}
	})
}
