package command

import "testing"

func TestGrant(t *testing.T) {
	tests := []struct {
		family string
		name   string
		want   bool
		texts  []string
	}{
		{"push to the own branch (sh-31)", "git-push", true, []string{
			"git push origin feature/x", "git push -u origin feature/x", "git push -- origin feature/x",
			"git --no-pager push origin feature/x", "git -P push origin feature/x", "git push origin refs/heads/feature/x",
			"git push origin HEAD:feature/x", "git push origin HEAD:refs/heads/feature/x", "git push --force-with-lease origin feature/x",
			"git push --force-with-lease=feature/x origin feature/x", "  git  push  origin  feature/x  ", "git push 'origin' \"feature/x\"",
			"git -c user.name='A B' -c USER.EMAIL=a@b push origin feature/x", "git push --set-upstream origin feature/x",
			"git push -n origin feature/x", "git push --no-verify origin feature/x", "git push my_remote-1.x feature/x",
		}},
		{"shell syntax (sh-32)", "git-push", false, []string{
			"git push origin feature/x; id", "git push origin feature/x && id", "git push origin feature/x | tee l",
			"git push origin feature/x > l", "git push origin $B", `git push origin "$B"`, "git push origin feature/x\nid",
			"git push \\\norigin feature/x", "git\tpush origin feature/x", "git push origin {a,b}", "git push --rece* origin feature/x",
			"(git push origin feature/x)", "! git push origin feature/x", "git push origin feature/x < f", "git push origin `b`",
			"git push origin feature/x?", "git push origin feature/[x]", "git push origin 'a;b'", "git push origin feature/x!",
		}},
		{"other spellings (sh-32)", "git-push", false, []string{
			"A=1 git push origin feature/x", "sh -c 'git push origin feature/x'", "/usr/bin/git push origin feature/x",
			"./git push origin feature/x", "env git push origin feature/x", "command git push origin feature/x",
			"sudo git push origin feature/x", "git push origin feature/x # --dry-run", "'git' push origin feature/x",
			"#git push origin feature/x", "git push origin 'unterminated", "", " ", "git", "git ", "Git push origin feature/x",
			"git push origin feature/x\r", "git push origin feature/x\x00", "git push origin feature/\u202ex", "git push origin feature/x\xff",
			"git push\u00a0origin feature/x", "git push origin ~",
		}},
		{"options before the subcommand", "git-push", false, []string{
			"git -C /r push origin feature/x", "git --git-dir=/r push origin feature/x", "git --work-tree /r push origin feature/x",
			"git --exec-path=/r push origin feature/x", "git --config-env=a=b push origin feature/x", "git -c core.sshCommand=x push origin feature/x",
			"git -cuser.name=x push origin feature/x", "git -c user.name push origin feature/x", "git -c", "git -c user.name=x",
			"git --paginate push origin feature/x", "git -p push origin feature/x", "git --no-page push origin feature/x",
			"git -c alias.push=x push origin feature/x",
		}},
		{"wrong subcommand", "git-push", false, []string{
			"git pus origin feature/x", "git 'push;' origin feature/x", "git commit -m x", "git PUSH origin feature/x", "git pushx origin feature/x",
		}},
		{"options that run a command", "git-push", false, []string{
			"git push --receive-pack=x origin feature/x", "git push --receive-pack x origin feature/x", "git push --rec=x origin feature/x",
			"git push --exec=x origin feature/x", "git push --ex x origin feature/x", "git push origin feature/x --r=x",
			"git push -- --exec=x feature/x",
		}},
		{"options that widen", "git-push", false, []string{
			"git push --delete origin feature/x", "git push --del origin feature/x", "git push --mirror origin feature/x",
			"git push --all origin feature/x", "git push --branches origin feature/x", "git push --prune origin feature/x",
			"git push --repo=o origin feature/x", "git push --push-option=x origin feature/x", "git push -d origin feature/x",
			"git push -o x origin feature/x", "git push -ud origin feature/x", "git push --tags origin feature/x",
			"git push --follow-tags origin feature/x", "git push --recurse-submodules=no origin feature/x",
		}},
		{"force", "git-push", false, []string{
			"git push --force origin feature/x", "git push --forc origin feature/x", "git push --f origin feature/x", "git push -f origin feature/x",
			"git push -uf origin feature/x", "git push origin +feature/x", "git push origin +HEAD:feature/x", "git push --force=x origin feature/x",
			"git push --force-with-leas origin +feature/x", "git push --force-if-includes origin feature/x",
		}},
		{"remote that is not a name", "git-push", false, []string{
			"git push https://h/r feature/x", "git push h:r feature/x", "git push ../r feature/x", "git push /r feature/x",
			"git push ext::cmd feature/x", "git push .r feature/x", "git push '' feature/x", "git push _r feature/x",
		}},
		{"refspec that is not the own branch", "git-push", false, []string{
			"git push", "git push origin", "git push origin HEAD", "git push origin main", "git push origin feature/x main",
			"git push origin feature/xy", "git push origin feature/", "git push origin feature/x:main", "git push origin :feature/x",
			"git push origin refs/heads/feature/x:refs/heads/main", "git push origin feature/x:feature/x", "git push origin main:feature/x",
			"git push origin refs/heads/feature/x:feature/x", "git push origin heads/feature/x",
		}},
		{"commit", "git-commit", true, []string{
			"git commit", "git commit -m x", "git commit -am 'two words'", `git commit -m "fix #12"`, "git commit -m x -- a b", "git commit --amend",
			"git commit -m 'a) b} c]'", "git commit -m ä",
		}},
		{"not a plain commit", "git-commit", false, []string{
			"git commit -m 'costs $5'", "git commit -m 'done!'", "git commit -m 'a\nb'", "git commit -m \"$(cat f)\"", "git -C x commit", "git push",
			"git commit -m 'a\\b'", "git commit -m (", "git commit -m 'what?'",
		}},
		{"rebase", "git-rebase", true, []string{
			"git rebase", "git rebase main", "git rebase -i main", "git rebase --onto a b", "git rebase -X ours main", "git rebase --strategy-option=ours main",
			"git rebase --no-exec main", "git rebase --continue",
		}},
		{"rebase that runs a command", "git-rebase", false, []string{
			"git rebase --exec true", "git rebase --exec=true", "git rebase --ex true", "git rebase --strategy=x", "git rebase --strat x",
			"git rebase -x true", "git rebase -xtrue", "git rebase -ix true", "git rebase -s ours", "git rebase -- -x true",
		}},
		{"names", "git-tag", false, []string{"git tag x"}},
		{"names", "push", false, []string{"git push origin feature/x"}},
		{"names", "", false, []string{"git push origin feature/x"}},
	}
	for _, test := range tests {
		for _, text := range test.texts {
			if got := Grant(test.name, text, "feature/x"); got != test.want {
				t.Errorf("%s: Grant(%q, %q) = %v", test.family, test.name, text, got)
			}
		}
	}
	if Grant("git-push", "git push origin feature/x", "") {
		t.Error("push matches without a branch")
	}
}

// TestGrantIsOneCommand compares with the analysis: what a grant matches is one
// command of the shell, and it is git.
func TestGrantIsOneCommand(t *testing.T) {
	for _, text := range []string{"git commit -m 'a b'", "git push origin feature/x", `git commit -m "a ' b" c'd'e`, "git rebase -i main", "git commit -m a#b"} {
		script := Parse(text, Bash)
		words, ok := bareWords(text)
		if !ok || len(script.Commands) != 1 || len(script.Unknown) > 0 {
			t.Fatalf("%s: %v", text, script.Commands)
		}
		c := script.Commands[0]
		for i, a := range c.Args {
			if a.Text != words[i+1] || !a.Known {
				t.Errorf("%s: word %d is %q, want %q", text, i+1, a.Text, words[i+1])
			}
		}
	}
}
