package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wrapperTests has at least one row for each name in the table of wrappers. The
// wrapped command is "q a" unless the want says otherwise.
var wrapperTests = []struct{ text, want string }{
	{"env q a", "q a"},
	{"env -i A=1 B='x y' q a", "q a"},
	{"env -u A --unset=B -C /d q a", "q a"},
	{"env =1 q a", "q a"},
	{"env -S 'q a'", "q a"},
	{"env -S 'X=1 q a' b", "q a b"},
	{"env -S 'q \"a b\"'", "?"},
	{"env", "env"},
	{"npm explore x -- q a", "!npm"},
	{"env -S 'q a' -- b", "?; ?"},
	{"env -S 'q a' -i b", "?; ?"},
	{"setarch -R q a", "q a"},
	{"ld.so q a", "q a"},
	{"ld-linux.so.2 q a", "q a"},
	{"/lib64/ld-linux-x86-64.so.2 q a", "q a"},
	{"ld-linux-aarch64.so.1 q a", "q a"},
	{"rbash -c 'q a'", "q a"},
	{"linux32 q a", "q a"},
	{"linux64 q a", "q a"},
	{"i386 q a", "q a"},
	{"x86_64 q a", "q a"},
	{"chronic q a", "q a"},
	{"rlwrap q a", "q a"},
	{"proxychains -q q a", "q a"},
	{"proxychains4 q a", "q a"},
	{"tsocks q a", "q a"},
	{"dbus-run-session -- q a", "q a"},
	{"systemd-inhibit q a", "q a"},
	{"xvfb-run -a q a", "q a"},
	{"prlimit q a", "q a"},
	{"valgrind --tool=x q a", "q a"},
	{"perf stat q a", "!perf"},
	{"watchexec q a", "!watchexec"},
	{"bwrap q a", "!bwrap"},
	{"firejail q a", "!firejail"},
	{"start-stop-daemon --exec q", "!start-stop-daemon"},
	{"capsh -- -c q", "!capsh"},
	{"sg x q", "!sg"},
	{"dotenv q a", "!dotenv"},
	{"dotenvx run q", "!dotenvx"},
	{"conda run q", "!conda"},
	{"devbox run q", "!devbox"},
	{"op run q", "!op"},
	{"entr -r q a", "q a"},
	{"env --no-such-option q a", "?"},
	{"/usr/bin/ENV q a", "q a"},
	{"sudo q a", "q a"},
	{"sudo -u root -E X=1 -- q a", "q a"},
	{"sudo --user=x q a", "q a"},
	{"sudo -uroot q a", "q a"},
	{"sudo -l", "sudo -l"},
	{"doas -u x q a", "q a"},
	{"su -c 'q a' x", "q a"},
	{"su x --command='q a'", "q a"},
	{"su x", "su x"},
	{"runuser -u x q a", "q a"},
	{"pkexec --user x q a", "q a"},
	{"setpriv --reuid 1 q a", "q a"},
	{"nice -n 5 q a", "q a"},
	{"nice -5 q a", "q a"},
	{"ionice -c2 -n 0 q a", "q a"},
	{"chrt -r 5 q a", "q a"},
	{"taskset -c 1 q a", "q a"},
	{"nohup q a", "q a"},
	{"setsid -w q a", "q a"},
	{"stdbuf -oL -e 0 q a", "q a"},
	{"timeout 5 q a", "q a"},
	{"timeout -s KILL --kill-after=3 5 q a", "q a"},
	{"timeout --pres 5 q a", "q a"},
	{"gtimeout 5 q a", "q a"},
	{"/usr/bin/time -o f q a", "q a"},
	{"command time -p q a", "q a"},
	{"gtime -v q a", "q a"},
	{"true | time q a", "true; q a"},
	{"unshare -r -n q a", "q a"},
	{"chroot /r q a", "q a"},
	{"systemd-run --user -p X=1 q a", "q a"},
	{"caffeinate -i q a", "q a"},
	{"strace -f -e trace=open q a", "q a"},
	{"ltrace q a", "q a"},
	{"unbuffer q a", "q a"},
	{"fakeroot q a", "q a"},
	{"catchsegv q a", "q a"},
	{"torify q a", "q a"},
	{"torsocks q a", "q a"},
	{"noglob q a", "q a"},
	{"nocorrect q a", "q a"},
	{"dumb-init q a", "q a"},
	{"busybox q a", "q a"},
	{"toybox q a", "q a"},
	{"busybox sh -c 'q a'", "q a"},
	{"flock /l q a", "q a"},
	{"flock -n /l -c 'q a'", "?"},
	{"flock -c 'q a' /l", "q a"},
	{"watch -n 1 'q a; q b'", "q a; q b"},
	{"watch q a", "q a"},
	{"script -c 'q a' f", "q a"},
	{"script -q --command='q a'", "q a"},
	{"hyperfine --prepare 'q b' 'q a' 'q c'", "q b; q a; q c"},
	{"direnv exec . q a", "q a"},
	{"sh -c 'q a'", "q a"},
	{"bash -lc 'q a; q b'", "q a; q b"},
	{"zsh -ic 'q a'", "q a"},
	{"dash -e -c 'q a' x", "q a"},
	{"ksh -c 'q a'", "q a"},
	{"ash -c 'q a'", "q a"},
	{"bash -o pipefail -c 'q a'", "q a"},
	{"bash --norc -c 'q a'", "q a"},
	{"bash +x -c 'q a'", "q a"},
	{"bash -c \"$X\"", "?"},
	{"bash $X", "?"},
	{"bash --no-such -c 'q a'", "?"},
	{"bash script.sh a", "bash script.sh a"},
	{"bash", "!bash"},
	{"curl u | sh", "curl u; !sh"},
	{"sh -c 'sh -c \"sh -c q\"'", "q"},
	{"sh -c ''", "sh -c "},
	{"command q a", "q a"},
	{"command -p q a", "q a"},
	{"command -v q", "command -v q"},
	{"exec q a", "q a"},
	{"exec -a x q a", "q a"},
	{"builtin eval 'q a'", "q a"},
	{"eval q a", "q a"},
	{"eval 'q a; q b'", "q a; q b"},
	{"eval \"$X\"", "?"},
	{"trap 'q a' EXIT", "q a"},
	{"trap - EXIT", "trap - EXIT"},
	{"coproc q a", "q a; ?"},
	{"repeat 3 q a", "q a"},
	{"source x.sh", "!source"},
	{". x.sh", "!."},
	{"bind -x a", "!bind"},
	{"complete -C x y", "!complete"},
	{"compgen -C x", "!compgen"},
	{"enable -f x y", "!enable"},
	{"hash -p /x q", "!hash"},
	{"fc -s", "!fc"},
	{"xargs q a", "q a ..."},
	{"xargs -0 -n1 -P 4 q a", "q a ..."},
	{"xargs -I{} q a {}", "q a *"},
	{"xargs -I % % a", "?"},
	{"xargs --replace=R q R a", "q * a"},
	{"gxargs q a", "q a ..."},
	{"xargs", "xargs"},
	{"parallel q a", "q a ..."},
	{"parallel q ::: a b", "q ..."},
	{"parallel ::: 'q a'", "?"},
	{"find . -exec q a \\;", "q a; find . -exec q a ;"},
	{"find . -execdir q {} + -ok w ';'", "q ...; w; find . -execdir q {} + -ok w ;"},
	{"find $X -name y", "?"},
	{"gfind . -exec q a \\;", "q a; gfind . -exec q a ;"},
	{"git -c alias.x='!q a' x", "q a; git -c alias.x=!q a x"},
	{"git -c alias.x='push -f' x o", "git push -f o; git -c alias.x=push -f x o"},
	{"git -c core.sshCommand='q a' fetch", "q a; git -c core.sshCommand=q a fetch"},
	{"git -c core.pager='q a' log", "q a; git -c core.pager=q a log"},
	{"git -c user.name=x log", "git -c user.name=x log"},
	{"git -c include.path=x log", "?"},
	{"git --config-env=alias.x=E x", "?"},
	{"git rebase -x 'q a' m", "q a; git rebase -x q a m"},
	{"git rebase --exe='q a' m", "q a; git rebase --exe=q a m"},
	{"git bisect run q a", "q a; git bisect run q a"},
	{"git submodule foreach --recursive 'q a'", "q a; git submodule foreach --recursive q a"},
	{"git clone -u 'q a' r", "q a; git clone -u q a r"},
	{"git fetch --upload-pack='q a' r", "q a; git fetch --upload-pack=q a r"},
	{"git grep -Oq x", "q; git grep -Oq x"},
	{"git filter-branch --tree-filter 'q a'", "q a; git filter-branch --tree-filter q a"},
	{"GIT_SSH_COMMAND='q a' git fetch", "q a; git fetch"},
	{"PAGER=q man a", "q; man a"},
	{"env EDITOR='q a' git commit", "q a; git commit"},
	{"GIT_PAGER=$X git log", "?"},
	{"PS4='$(q a)' bash x", "?"},
	{"npx q a", "q a"},
	{"npx -y -p x q a", "q a"},
	{"npx -c 'q a'", "q a"},
	{"npm exec -- q a", "q a"},
	{"npm x q a", "q a"},
	{"npm --prefix d exec q a", "q a"},
	{"npm run x", "npm run x"},
	{"bunx q a", "q a"},
	{"uvx q a", "q a"},
	{"pnpm dlx q a", "q a"},
	{"pnpm exec q a", "q a"},
	{"yarn dlx q a", "q a"},
	{"yarn exec q a", "q a"},
	{"bun x q a", "q a"},
	{"poetry run q a", "q a"},
	{"pipenv run q a", "q a"},
	{"uv run q a", "q a"},
	{"bundle exec q a", "q a"},
	{"mise exec -- q a", "q a"},
	{"nix-shell -p x --run 'q a'", "q a"},
	{"ssh h q a", "!ssh"},
	{"rsh h q", "!rsh"},
	{"mosh h", "!mosh"},
	{"at now", "!at"},
	{"batch", "!batch"},
	{"crontab f", "!crontab"},
	{"expect f", "!expect"},
	{"osascript -e x", "!osascript"},
	{"tclsh f", "!tclsh"},
	{"gdb -ex x", "!gdb"},
	{"lldb x", "!lldb"},
	{"socat a b", "!socat"},
	{"tmux new q", "!tmux"},
	{"screen q", "!screen"},

	// Interpreters that are handed code.
	{"python -c x", "!python"},
	{"python3.12 -Bc x", "!python"},
	{"python3 x.py -c", "python3 x.py -c"},
	{"python3 -", "!python"},
	{"python3 < f", "!python"},
	{"perl -ne x f", "!perl"},
	{"node -e 1", "!node"},
	{"node --eval=1", "!node"},
	{"node x.js", "node x.js"},
	{"ruby -e x", "!ruby"},
	{"php -r x", "!php"},
	{"deno eval x", "!deno"},
	{"awk '{print $1}' f", "awk {print $1} f"},
	{"awk '{system($1)}' f", "!awk"},
	{"awk -f p f", "!awk"},
	{"gawk '{print | \"sh\"}'", "!gawk"},
	{"pwsh -Command x", "!pwsh"},
	{"cmd /c x", "!cmd"},
	{"nc -e sh h 1", "!nc"},
	{"make --eval=x", "!make"},
	{"vim -c x f", "!vim"},
}

func TestWrappers(t *testing.T) {
	seen := map[string]bool{}
	for _, test := range wrapperTests {
		script := Parse(test.text, Bash)
		var list []string
		for _, c := range script.Commands {
			list = append(list, show(c))
			for f := c; f != nil; f = f.Outer {
				name := programName(f.Program.Text)
				seen[name] = true
				if len(f.Args) > 0 {
					seen[name+" "+f.Args[0].Text] = true
				}
			}
		}
		got := strings.Join(list, "; ")
		if test.want == "?" && strings.Contains(got, "?") {
			continue
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.text, got, test.want)
		}
	}
	var missing []string
	for name := range wrappers {
		if !seen[name] {
			missing = append(missing, name)
		}
	}
	if diff := cmp.Diff([]string(nil), missing); diff != "" {
		t.Errorf("rows of the table without a test:\n%s", diff)
	}
}

// show writes a command as words: "*" for an unknown word, "..." for any
// number of them, "?" for a command that is not certain, "!x" for opaque.
func show(c *Command) string {
	for f := c; f != nil; f = f.Outer {
		if len(f.Unknown) > 0 {
			return "?"
		}
		if f.Opaque != "" {
			return "!" + f.Opaque
		}
	}
	list := []string{c.Program.Text}
	for _, a := range c.Args {
		switch {
		case a.Known:
			list = append(list, a.Text)
		case a.single:
			list = append(list, "*")
		default:
			list = append(list, "...")
		}
	}
	return strings.Join(list, " ")
}
