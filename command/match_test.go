package command

import (
	"errors"
	"testing"
)

func matchAll(t *testing.T, pattern, text string, m Mode) Answer {
	t.Helper()
	p, err := Compile(pattern)
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	answer := No
	for i, c := range Parse(text, Bash).Commands {
		a := p.Match(c, m)
		if m == Permissive {
			if i == 0 {
				answer = a
			}
			answer = answer.and(a)
			continue
		}
		answer = answer.or(a)
	}
	return answer
}

func TestRestrictive(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          Answer
	}{
		// Programs.
		{"rm", "/bin/rm x", Yes},
		{"rm", "./rm x", Yes},
		{"rm", "RM.exe x", Yes},
		{`rm`, `'C:\bin\rm.exe' x`, Yes},
		{"rm", "rmdir x", No},
		{"/bin/rm", "rm x", Yes},
		{"python*", "python3.12 x", Yes},
		{"rm", "$X y", Unknown},
		{"rm", "r$X y", Unknown},
		{"rm", "", No},
		{"rm", "X=1", No},

		// Flags are sets.
		{"rm -rf", "rm -rf x", Yes},
		{"rm -rf", "rm -fr x", Yes},
		{"rm -rf", "rm -r -f x", Yes},
		{"rm -rf", "rm x -r -f", Yes},
		{"rm -rf", "rm -R --force x", Yes},
		{"rm -rf", "rm --recursive --force x", Yes},
		{"rm -rf", "rm --rec --fo x", Yes},
		{"rm -rf", "rm -rvf x", Yes},
		{"rm -rf", "rm -r x", No},
		{"rm -rf", "rm -r -- -f", No},
		{"rm -rf", "rm -r $X", Unknown},
		{"rm -rf", "rm -r a$X", Unknown},
		{"rm -rf", `rm -r "a$X"`, No},
		{"rm -rf", `rm -r "$X"`, Unknown},
		{"rm a b", `rm *"$X"`, Unknown},
		{"rm --recursive", "rm -r x", Yes},
		{"rm --recursive", "rm -Rf x", Yes},
		{"git push --force", "git push -f", Yes},
		{"git push --force", "git push -uf o b", Yes},
		{"git push --force", "git push --forc", Yes},
		{"git push --force", "git push --force-with-lease", No},
		{"git push --force", "git push -of", No},
		{"git push --receive-pack", "git push --rece=x o", Yes},
		{"git commit -n", "git commit -mno", No},
		{"git commit --no-verify", "git commit -nm x", Yes},
		{"tool --force", "tool -f", Unknown},
		{"tool --force", "tool -x", No},
		{"tool -f", "tool --force", Unknown},
		{"tool -f", "tool --other", No},
		{"find -delete", "find . -name x -delete", Yes},
		{"find -delete", "find . -name x", No},
		{"find -delete", "find . -depth -type l -executable -empty", No},
		{"terraform apply -auto-approve", "terraform -chdir=x apply --auto-approve", Yes},
		{"go test -race", "go test ./... -race", Yes},
		{"curl --request=DELETE", "curl --request=DELETE u", Yes},
		{"curl --request=DELETE", "curl --request DELETE u", Yes},
		{"curl --request=DELETE", "curl --request=GET u", No},
		{"curl --request=DELETE", "curl --request GET u", No},
		{"curl -X DELETE", "curl u -X DELETE", No}, // DELETE is a word, and u stands before it
		{"kill -9", "kill -9 1", Yes},

		// Positional words in order, global options skipped.
		{"git push", "git push", Yes},
		{"git push", "git -C x push", Yes},
		{"git push", "git --git-dir x --no-pager push o", Yes},
		{"git push", "git -c a.b=c push", Yes},
		{"git push", "git stash push", No},
		{"git push", "git log push", No},
		{"git push", "git $X", Unknown},
		{"git push", "git $X log", Unknown},
		{"git push", `git "$X" push`, Unknown},
		{"git push", `git p$X`, Unknown},
		{"git push", `git "l$X"`, No},
		{"git push origin main", "git push -u origin main", Yes},
		{"git push origin main", "git push -o x origin main", Yes},
		{"git push origin main", "git push origin dev", No},
		{"git push origin main", "git push origin", No},
		{"git push * main", "git push origin main", Yes},
		{"npm publish", "npm --prefix d publish", Yes},
		{"npm publish", "npm run publish", No},
		{"docker rm", "docker --context c rm x", Yes},
		{"kubectl delete", "kubectl -n ns delete pod x", Yes},
		{"kubectl delete", "kubectl --namespace=ns delete pod x", Yes},
		{"terraform destroy", "terraform -chdir=d destroy", Yes},
		{"gh repo delete", "gh -R o/r repo delete", Yes},
		{"aws s3 rm", "aws --profile p --region r s3 rm s3://x", Yes},
		{"cargo publish", "cargo +nightly -q publish", Yes},
		{"go clean", "go -C d clean", Yes},
		{"make install", "make -C d install", Yes},
		{"npm run *", "npm run x", Yes},
		{"npm run *", "npm run", No},
		{"npm run test:*", "npm run test:unit", Yes},
		{"npm run test:*", "npm run build", No},

		// Operands that are paths may stand anywhere.
		{"rm /", "rm -rf a /", Yes},
		{"rm /", "rm -rf a b", No},
		{"rm ~", "rm -rf a $HOME", Yes},
		{"rm ~", `rm -rf "${HOME}"`, Yes},
		{"rm ~", "rm -rf ~/", Yes},
		{"rm ~", "rm -rf '~'", No},
		{"rm ~", "rm -rf ~/x", No},
		{"rm ~/x", "rm -rf $HOME/x", Yes},
		{"rm ~", "HOME=/x; rm ~", Unknown},
		{"rm /etc/*", "rm /etc/passwd", Yes},
		{"rm .git", "rm -rf ./.git", Yes},

		// The whole list.
		{"=git push", "git push", Yes},
		{"=git push", "git push origin", No},
		{"=git push", "git push $X", Unknown},
		{"=ls", "ls", Yes},
		{"=ls", "ls x", No},

		// "--".
		{"git checkout --", "git checkout -- f", Yes},
		{"git checkout --", "git checkout f", No},
		{"git checkout --", "git checkout $X f", Unknown},

		// What cannot be seen.
		{"rm", "python3 -c x", Unknown},
		{"rm", "ssh h rm x", Unknown},
		{"rm", "source x", Unknown},
		{"rm", `eval "$X"`, Unknown},
		{"rm", "x='a[$(rm)]'; ((x))", Unknown},
		{"rm", "x=3; ((x++)); for ((i=0;i<x;i++)); do ls; done", No},
		{"rm", "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done", No},
		{"rm", "read x; echo $((x))", Unknown},
		{"rm", "echo ${x@P}", Unknown},
		{"rm", "echo ${!x}", Unknown},
		{"rm", "[[ -v $x ]]", Unknown},
		{"rm", `[ -v "$x" ]`, Unknown},
		{"rm", `[[ $(f) -eq 1 ]]`, Unknown},
		{"rm", "printf -v 'a[$(rm)]' x", Unknown},
		{"rm", "unset 'a[$(rm)]'", Unknown},
		{"rm", "declare -n a=b", Unknown},
		{"rm", "alias ls=rm; ls", Unknown},
		{"rm", "alias", No},
		{"rm", "ls # a \\\nrm x", Unknown},
		{"rm", "echo \"$\\\n(rm x)\"", Unknown},
		{"rm", "echo $\\\n(rm x)", Unknown},
		{"rm", "cat <\\\n(rm x)", Unknown},
		{"rm", "echo `ls 'a\\\nb'`", Unknown},
		{"rm", "echo >& '$(rm x)'", Unknown},
		{"rm", "echo >& f 2>&1 <&3-", No},
		{"rm", "]rm=[ a=b", Unknown},
		{"rm", "echo $(ls 'a'#b; rm x\n)", Unknown},
		{"rm", "echo $(ls $x#b; rm x\n)", Unknown},
		{"rm", "echo `ls ${x}#b; rm x\n`", Unknown},
		{"rm", "echo ${x##*/} $# ${#x} a#b $(ls) # c", No},
		{"rm", "echo ${x:-$<<<(rm)}", Unknown},
		{"rm", "let 1|rm", Unknown},
		{"rm", "true | time -p| rm", Yes},
		{"rm ~/a*", `rm $HOME/"$x"`, Unknown},
		{"rm ~/a*", `rm ~/"$x"`, Unknown},
		{"rm", "ls a |\\\n  ls", No},
		{"rm", "ls a#b \\\nc", No},
		{"rm", "time ls >&-rm", Unknown},
		{"rm", "echo $(cat <<E\nx\nE\nls; rm)", Yes},
		{"rm", "echo $(cat <<E\nx\nE\nls; x)", Unknown},
		{"rm", "git commit -m \"$(cat <<'E'\nx\nE\n)\"", No},
		{"rm", "ls\r", Unknown},
		{"rm", "ls \x00", Unknown},
		{"rm", "ls \xff", Unknown},
	}
	for _, test := range tests {
		if got := matchAll(t, test.pattern, test.text, Restrictive); got != test.want {
			t.Errorf("%q on %q: got %v, want %v", test.pattern, test.text, got, test.want)
		}
	}
}

func TestPermissive(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          Answer
	}{
		{"git status", "git status", Yes},
		{"git status", "git status -s .", Yes},
		{"git status", "git 'status'", Yes},
		{"git status", "git -C x status", No},
		{"git", "git -C x status", No},
		{"git", "git --no-pager status", Yes},
		{"git", "git --git-dir=x status", No},
		{"git", "git status", Yes},
		{"git status", "/usr/bin/git status", No},
		{"git status", "GIT status", No},
		{"git status", "A=1 git status", No},
		{"git status", "env git status", No},
		{"git status", "git status &", No},
		{"git status", "git status $X", Unknown},
		{"git status", "git status *", Yes},
		{"git log", "git log *", Unknown},
		{"git log", "git log src/*.go", Yes},
		{"sed -n", "sed -n p src/*.go", Unknown},
		{"uniq", "uniq src/*", Unknown},
		{"ls", "ls -*", Yes},
		{"sort", "sort *", Unknown},
		{"=ls x", "ls *", Unknown},
		{"ls x", "ls *", Unknown},
		{"git status", "time git status", Yes},
		{"git status", "! git status", Yes},
		{"git status", "(git status)", Yes},
		{"git status", "git status # comment", Yes},
		{"git status", "if git status; then git status; fi", Yes},
		{"=git status", "git status -s", No},
		{"=git status", "git status", Yes},
		{"=timeout 5 npm test", "timeout 5 npm test", Yes},
		{"timeout 5 npm test", "timeout 5 npm test", No},
		{"=find . -delete", "find . -delete", Yes},
		{"=python3 -c 'print(1)'", "python3 -c 'print(1)'", Yes},
		{"=python3 -c *", "python3 -c 'print(1)'", Unknown},
		{"npm run *", "npm run build", Yes},
		{"npm run *", "npm run --script-shell=x", No},
		{"npm run build", "npm run build --script-shell=x", No},
		{"npm run test:*", "npm run test:unit", Yes},
		{"ls ~/x", "ls ~/x", Yes},
		{"ls ~/x", "ls '~/x'", No},
		{"ls '~/x'", "ls ~/x", No},
		{"rm -rf", "rm -fr x", No},
		{"echo", "echo hi; date", No},
		{"python3", "python3 x.py", Yes},
		{"python3", "python3 -c x", Unknown},
		{"python3", "python3", Unknown},
		{"echo", "echo $(date)", No},
		{"echo", "echo # a \\\nrm x", Unknown},
		{"echo", "", No},
		{"git status", "for PATH in /x; do git status; done", No},
		{"git status", "for x in a; do git status; done", Yes},
		{"git status", "{ git status; } {PATH}</dev/null", Unknown},
		{"git status", "((PATH=1)); git status", Unknown},
		{"git status", "[[ -n ${GIT_DIR:=x} ]]; git status", Unknown},
		{"git status", "git status < f", Yes},
		{"git status", "git status < $X", Unknown},
		{"read", "read PATH", Unknown},
		{"read", "read line", Yes},
	}
	for _, test := range tests {
		if got := matchAll(t, test.pattern, test.text, Permissive); got != test.want {
			t.Errorf("%q on %q: got %v, want %v", test.pattern, test.text, got, test.want)
		}
	}
}

func TestCompile(t *testing.T) {
	for _, text := range []string{
		"", " ", "=", "*", "a; b", "a | b", "a > b", "a & b", "$X", "a $X", "a `b`", "a $(b)", "'a", "a\nb", "a\x00", "a # b", "(a)", "''", "a <(b)",
		"a \"$X\"", "a " + string(make([]byte, 10)),
	} {
		if _, err := Compile(text); !errors.Is(err, ErrPattern) {
			t.Errorf("%q: error %v", text, err)
		}
	}
	for _, text := range []string{"git status", "=git push", "npm run *", "find . -exec ls {} \\;", "a 'b c' \"d\"", "rm $HOME", `rm "$HOME/x"`, "a \\*", "a [x]", "a {}"} {
		if p, err := Compile(text); err != nil || p.String() != text {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestQuotedStar(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          Answer
	}{
		{`echo \*`, `echo '*'`, Yes},
		{`echo '*'`, "echo x", No},
		{"echo a*c", "echo abc", Yes},
		{"echo a*b*c", "echo a1b2c", Yes},
		{"echo a*b*c", "echo ac", No},
		{"echo a*a", "echo a", No},
	} {
		if got := matchAll(t, test.pattern, test.text, Permissive); got != test.want {
			t.Errorf("%q on %q: got %v, want %v", test.pattern, test.text, got, test.want)
		}
	}
}
