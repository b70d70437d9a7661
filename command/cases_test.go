package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// verdict is what the permissive and the restrictive use of some patterns make
// of a script: every command allowed, and the strongest answer to the denials.
type verdict struct {
	Allowed bool
	Denied  Answer
}

func judge(t *testing.T, script *Script, allow, deny []string) verdict {
	t.Helper()
	v := verdict{Allowed: true, Denied: No}
	for _, c := range script.Commands {
		v.Allowed = v.Allowed && len(c.Writes()) == 0 && anyPattern(t, allow, c, Permissive) == Yes
		v.Denied = v.Denied.or(anyPattern(t, deny, c, Restrictive))
	}
	return v
}

func anyPattern(t *testing.T, patterns []string, c *Command, m Mode) Answer {
	t.Helper()
	answer := No
	for _, text := range patterns {
		p, err := Compile(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		answer = answer.or(p.Match(c, m))
	}
	return answer
}

var (
	denied  = verdict{Denied: Yes}
	maybe   = verdict{Denied: Unknown}
	asked   = verdict{Denied: No}
	allowed = verdict{Allowed: true, Denied: No}
)

// TestCases holds the recorded failures of other gates.
func TestCases(t *testing.T) {
	tests := []struct {
		id          string
		allow, deny []string
		text        string
		want        verdict
	}{
		{"sh-01", []string{"cd"}, nil, "cd sub && python3 run.py", asked},
		{"sh-01", []string{"cd", "python3 run.py"}, nil, "cd sub && python3 run.py", allowed},

		{"sh-04", []string{"git checkout"}, sh04, "git -C /r checkout -- f", denied},
		{"sh-04", []string{"git checkout"}, sh04, "git --git-dir=/r/.git --work-tree=/r restore f", denied},
		{"sh-04", []string{"git checkout"}, sh04, "git -c core.x=y reset --hard", denied},
		{"sh-04", []string{"git checkout"}, sh04, "git --no-pager reset --hard", denied},
		{"sh-04", []string{"git checkout"}, sh04, "git checkout main", allowed},

		{"sh-07", []string{"gh api"}, []string{"git push"}, "/bin/zsh -lc 'git push origin main'", denied},
		{"sh-07", []string{"gh api"}, []string{"git push"}, `bash -c "gh api repos/x/y"`, allowed},
		{"sh-07", []string{"gh api"}, []string{"git push"}, "bash -lc 'gh api x && git push'", denied},
		{"sh-07", []string{"gh api"}, []string{"git push"}, "./bash -c 'gh api x'", asked},
		{"sh-07", []string{"gh api"}, []string{"git push"}, "X=1 bash -c 'gh api x'", asked},
		{"sh-07", []string{"gh api"}, []string{"git push"}, "bash -c 'gh api x' > f", asked},
		{"sh-07", []string{"gh api"}, []string{"git push"}, "bash -c 'gh api x' a", asked},

		{"sh-08", nil, []string{"git push"}, "timeout 30 bash -c 'cd /w && git push'", denied},
		{"sh-08", nil, []string{"git push"}, "sudo -u ci time nice -n 5 git push", denied},
		{"sh-08", nil, []string{"git push"}, "nohup setsid git push &", denied},
		{"sh-08", nil, []string{"git push"}, "xargs -n1 git push < list", denied},
		{"sh-08", nil, []string{"git push"}, "stdbuf -oL git push", denied},
		{"sh-08", []string{"timeout"}, []string{"git push"}, "timeout --new-option 3 ls", maybe},

		{"sh-12", []string{"echo"}, nil, `echo 'a\' ; touch /tmp/p`, asked},

		{"sh-13", nil, []string{"rm"}, `r\m -rf x`, denied},
		{"sh-13", nil, []string{"rm"}, `r""m -rf x`, denied},
		{"sh-13", nil, []string{"rm"}, `r'm' -rf x`, denied},
		{"sh-13", nil, []string{"rm"}, "r\\\nm -rf x", denied},
		{"sh-13", nil, []string{"rm"}, `$'rm' -rf x`, denied},

		{"sh-14", nil, sh14, `rm -rf "$HOME"`, denied},
		{"sh-14", nil, sh14, `rm -rf ";" $HOME`, denied},
		{"sh-14", nil, sh14, `rm -rf "a&b" "/"`, denied},
		{"sh-14", nil, sh14, `rm --recursive x .git/`, denied},
		{"sh-14", nil, sh14, `rm -rf build`, asked},

		{"sh-15", []string{"ls", "echo"}, []string{"rm"}, "ls; ./x.sh )", maybe},
		{"sh-15", []string{"ls", "echo"}, []string{"rm"}, "echo hi; if true", maybe},
		{"sh-15", []string{"ls", "echo"}, []string{"rm"}, "ls 'unterminated", maybe},
		{"sh-15", []string{"ls", "echo"}, []string{"rm"}, `echo "$(ls"`, maybe},
		{"sh-15", []string{"ls", "echo"}, []string{"rm"}, "rm x; ls )", denied},

		{"sh-18", sh18, []string{"rm"}, "echo hi > $(rm x)", denied},
		{"sh-18", sh18, []string{"rm"}, "cat < <(rm x)", denied},
		{"sh-18", sh18, []string{"rm"}, "cat <<EOF\n$(rm x)\nEOF", denied},
		{"sh-18", sh18, []string{"rm"}, "cat <<'EOF'\n$(rm x)\nEOF", allowed},

		{"sh-19", sh19, nil, "git show > ~/.ssh/id_ed25519", asked},
		{"sh-19", sh19, nil, "echo x >> .git/hooks/pre-commit", asked},
		{"sh-19", sh19, nil, "echo x >| f", asked},
		{"sh-19", sh19, nil, "echo x &> f", asked},
		{"sh-19", sh19, nil, "git show HEAD:f 2> f", asked},
		{"sh-19", sh19, nil, "git show HEAD:f 2>&1", allowed},
		{"sh-19", sh19, nil, "git show HEAD:f 2>/dev/null", allowed},

		{"sh-22", []string{"gh pr view"}, nil, "gh pr view 1\nrm -rf x", asked},

		{"sh-24", sh24, []string{"test", "rm"}, "echo 'query { test }'", allowed},
		{"sh-24", sh24, []string{"b", "c"}, `echo "a|b|c"`, allowed},
		{"sh-24", sh24, []string{"y"}, `grep "x\|y" f`, allowed},
		{"sh-24", sh24, []string{"rm"}, "echo ';'", allowed},

		{"sh-25", nil, sh25, "git push origin batch/obs-fixes", asked},
		{"sh-25", nil, sh25, "gh issue create --title t --body 'never run git push -f'", asked},
		{"sh-25", nil, sh25, "git push origin feature/x-force", asked},
		{"sh-25", nil, sh25, "git push -uf origin x", denied},
		{"sh-25", nil, sh25, "git push --force-with-lease origin x", asked},
		{"sh-25", nil, sh25, "git push --forc origin x", denied},

		{"sh-26", sh26, nil, "git diff --output=/home/u/.bashrc HEAD~5", asked},
		{"sh-26", sh26, nil, "git log --output /tmp/x", asked},
		{"sh-26", sh26, nil, "git log --outp /tmp/x", asked},
		{"sh-26", sh26, nil, "javac -version -processorpath p -processor E T.java", asked},
		{"sh-26", sh26, nil, "find . -name x -exec rm {} +", asked},
		{"sh-26", sh26, nil, "sort -o f f", asked},
		{"sh-26", sh26, nil, "sed -n '1e id' f", asked},
		{"sh-26", sh26, nil, "sed -n '1,20p' f", allowed},
		{"sh-26", sh26, nil, "git log --oneline -5", allowed},
		{"sh-26", sh26, nil, "find . -name x", allowed},

		{"sh-28", []string{"git * main"}, nil, "git push --force main", asked},
		{"sh-28", []string{"git * main"}, nil, "git -x main", asked},
		{"sh-28", []string{"git * main"}, nil, "git merge main", allowed},

		{"sh-29", sh29, nil, "python3 -c 'import os'", asked},
		{"sh-29", sh29, nil, "node -e 1", asked},
		{"sh-29", sh29, nil, "npx pkg", asked},
		{"sh-29", sh29, nil, "npm run x", asked},
		{"sh-29", sh29, nil, "make x", asked},
		{"sh-29", sh29, nil, "python3 script.py", allowed},
		{"sh-29", sh29, nil, "python3 script.py x", asked},

		{"sh-30", nil, []string{"git push"}, "git  push origin main", denied},
		{"sh-30", nil, []string{"git push"}, " git push", denied},
		{"sh-30", nil, []string{"git push"}, "\tgit push", denied},
		{"sh-30", nil, []string{"git push"}, "true && git push", denied},
		{"sh-30", nil, []string{"git push"}, "git push\n", denied},
	}
	for _, test := range tests {
		t.Run(test.id+"/"+test.text, func(t *testing.T) {
			got := judge(t, Parse(test.text, Bash), test.allow, test.deny)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

var (
	sh04 = []string{"git checkout --", "git restore", "git reset --hard"}
	sh14 = []string{"rm -r $HOME", "rm -r /", "rm -r .git"}
	sh18 = []string{"cat", "echo"}
	sh19 = []string{"git show", "echo"}
	sh24 = []string{"echo", "grep"}
	sh25 = []string{"git push --force", "git push -f"}
	sh26 = []string{"git diff", "git log", "git show", "javac -version", "find", "sort", "sed -n"}
	sh29 = []string{"=python3 script.py"}
)

// TestRedirectTargets covers sh-21: what a script writes does not depend on
// which program is named.
func TestRedirectTargets(t *testing.T) {
	tests := map[string][]string{
		"env > /tmp/out":                 {"/tmp/out"},
		"echo k >> ~/.ssh/authorized":    {"~/.ssh/authorized"},
		"tee /tmp/out < f":               nil,
		"printf x > ../sib/f":            {"../sib/f"},
		"{ a; b; } > f":                  {"f"},
		"> f":                            {"f"},
		"bash -c 'a > x' > y":            {"x", "y"},
		"while a; do b; done &> f":       {"f"},
		"a 2>&1 >/dev/null <x <<<y 2>&-": nil,
		"a <> f":                         {"f"},
		"a >& f":                         {"f"},
		"f() { a; } > g":                 {"g"},
		"a > $X":                         {""},
		"a </dev/tcp/h/1":                {"/dev/tcp/h/1"},
	}
	for text, want := range tests {
		var got []string
		for _, c := range Parse(text, Bash).Commands {
			for _, r := range c.Writes() {
				got = append(got, r.Target.Text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// TestBackquotedHeredoc: Bash ends the substitution at the first backquote, also
// in a here-document inside it, so that what follows are commands.
func TestBackquotedHeredoc(t *testing.T) {
	script := Parse("p1 `p6 <<-'EOF'\n=`p6\\`\nEOF\n:`", Bash)
	for _, c := range script.Commands {
		if !c.Certain() {
			return
		}
	}
	t.Error("nothing about the text is unknown")
}

// TestFunctionsWithoutName holds that a function without a name, which zsh has,
// is walked like any other.
func TestFunctionsWithoutName(t *testing.T) {
	for _, shell := range []Shell{Bash, Sh, Zsh} {
		for _, text := range []string{"()0", "() { rm x; }", "function { rm x; }", "a b () { rm x; }", "coproc () { rm x; }"} {
			if len(Parse(text, shell).Commands) == 0 {
				t.Errorf("%q has no element", text)
			}
		}
	}
}
