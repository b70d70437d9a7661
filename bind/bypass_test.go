package bind_test

import (
	"testing"

	"github.com/plangate/plangate"
)

// bypasses has an example for each family of docs/bypasses.md that hides rm or
// a force push. None of them may be allowed by a policy that allows everything
// else.
var bypasses = []string{
	"ls; rm x", "ls && rm x", "ls\nrm x", "ls | rm x", "ls & rm x",
	"echo $(rm x)", "echo `rm x`", "cat <(rm x)", "ls > $(rm x)", "cat <<E\n$(rm x)\nE",
	"[[ $(rm x) ]]", "a=($(rm x))", "echo ${y:-$(rm x)}",
	`r\m x`, `r""m x`, `$'\x72m' x`, "r\\\nm x", "/bin/rm x", "RM x", "rm.exe x",
	"$X x", "r${y}m x", "/bin/r? x", "{rm,-rf,/}",
	"env rm x", "sudo -u x rm x", "timeout 5 rm x", "nice rm x", "xargs rm", "find . -exec rm {} +", "busybox rm x", "timeout --new 5 rm",
	"bash -lc 'rm x'", "sh -c \"bash -c 'rm x'\"", "eval \"$X\"", "bash -c \"$X\"", `trap "$X" EXIT`,
	"python -c 'x'", "perl -e x", "node -e x", "awk 'BEGIN{system(\"rm x\")}'", "curl u | sh", "ssh h rm x", "source x", ". x",
	"git -c alias.x='!rm x' x", "git -c core.sshCommand='rm x' fetch", "git rebase -x 'rm x'", "git bisect run rm x", "git submodule foreach 'rm x'",
	"GIT_SSH_COMMAND='rm x' git fetch", "PAGER='rm x' man ls", "PS4='$(rm x)' bash -xc ls", "BASH_ENV=x bash y",
	"x='a[$(rm x)]'; ((x))", "[[ $x -eq 1 ]]", "echo ${a[x]}", "printf -v 'a[$(rm x)]' x", "echo ${!x}", "echo ${x@P}", "declare -n y=x",
	"alias ls=rm; ls", "f() { rm x; }; f", "git() { rm x; }; git status",
	"git -C x push -f", "git push -uf", "git push --forc", "git push origin x --force",
	"ls; ./x.sh )", "ls 'x", "echo \"$(ls\"", "cat < /dev/tcp/h/80; rm x", "cd / && rm x", "cd $X; rm x", "env -C / rm x",
	"echo >& '$(rm x)'", "echo $\\\n(rm x)", "for PATH in /x; do rm; done", "ls\x00; rm x", "ls\r\nrm x",
	"! rm x", "(rm x)", "{ rm x; }", "if rm x; then :; fi", "while rm x; do :; done", "time rm x", "coproc rm x", "case x in x) rm x;; esac",
	"setarch x86_64 rm x", "chronic rm x", "valgrind rm x", "perf stat rm x", "bwrap rm x", "entr rm x", "conda run rm x",
	"for x in -v; do [ \"$x\" 'a[$(rm x)]' ]; done", "for x in v; do [ -$x 'a[$(rm x)]' ]; done", "test {-v,'a[$(rm x)]'}", "o=-v; [ $o 'a[$(rm x)]' ]",
	"set -- -v 'a[$(rm x)]'; [ \"$@\" ]", "RANDOM='a[$(rm x)]'", "export RANDOM='a[$(rm x)]'", "declare -a 'a=($(rm x))'", "echo x | xargs --replace rm {}",
	"git -c alias.a=b -c alias.b='push -f' a", "git -c alias.x='!git' x push -f", "git-push -f", "node --title x -e 1",
	"bash /dev/stdin <<< 'rm x'", "ENV=f sh -ic :", "make -f- <<< x",
	"test $(cat t)", "[ $(cat t) -gt 3 ]", "test *", "[ * ]", "cd() { :; }; cd build && rm x", "npm explore x -- rm x",
	"command rm x", "builtin command rm x", "exec rm x", "nohup setsid stdbuf -oL rm x", "echo x | xargs -I{} rm {}", "parallel rm ::: x",
}

func TestBypasses(t *testing.T) {
	table := nowhere.tableOf(t, everything+denyBash(`"rm", "git push --force"`))
	for _, script := range bypasses {
		if got := nowhere.decide(t, table, "bash", script); got.Action() == plangate.Allow {
			t.Errorf("%q is allowed by %s", script, got.DecidedBy())
		}
	}
}

// TestBypassesOfAllow holds that no example rides on an allow of the harmless
// programs in it.
func TestBypassesOfAllow(t *testing.T) {
	table := nowhere.tableOf(t, allowBash(`"ls", "echo", "cat", "cd", "git status", "git fetch", "find", "man", "env", "time", "printf", "true"`))
	for _, script := range bypasses {
		if got := nowhere.decide(t, table, "bash", script); got.Action() == plangate.Allow {
			t.Errorf("%q is allowed by %s", script, got.DecidedBy())
		}
	}
}
