package command

// wrapKind says where in a wrapper's arguments the command is.
type wrapKind uint8

const (
	wrapWords    wrapKind = iota // the words after options and operands are a command
	wrapText                     // those words, joined, are text for a shell
	wrapEach                     // each of those words is text for a shell
	wrapParallel                 // wrapText up to ":::", and more arguments follow
	wrapFirst                    // the first of those words is text for a shell
	wrapShell                    // a shell: text after -c
	wrapOption                   // only the options in code hold text
	wrapFind                     // find: -exec ... ;
	wrapGit                      // git: options and subcommands that run commands
	wrapXargs                    // wrapWords, and more arguments follow
	wrapOpaque                   // code that is not read here, always
)

// wrapper is how a program runs another one. Options are listed by name, one
// letter or long, separated by spaces; one that is not listed makes the command unknown.
type wrapper struct {
	names   string // programs, or "program subcommand"
	kind    wrapKind
	flags   string // options without a value
	values  string // options with a value
	glued   string // letters with an optional value in the same word
	skip    int    // operands before the command
	code    string // options among values whose value is text for a shell
	stop    string // options with which nothing is run
	assigns bool   // NAME=VALUE may stand before the command
}

const shellFlags = "l e u x v n a b f h k m p B C E H P T i r s login norc noprofile posix restricted interactive"

// wrappers is the table of spec CMD-7. Its test has a row for each of these.
var wrappers = wrapperIndex([]wrapper{
	// Change the user, the environment, the priority or the terminal.
	{names: "env", flags: "i 0 v ignore-environment null debug list-signal-handling -", values: "u C S unset chdir split-string argv0 a",
		glued: "", assigns: true},
	{names: "sudo", flags: "A b E H n P S k B i s askpass background preserve-env set-home non-interactive stdin preserve-groups reset-timestamp bell login shell",
		values: "C D g h p R r t T U u close-from chdir group host prompt chroot role type command-timeout other-user user",
		stop:   "l v K V e list validate remove-timestamp version edit help", assigns: true},
	{names: "doas", flags: "L n s", values: "C u"},
	{names: "su", kind: wrapOption, flags: "l m p P f login preserve-environment fast pty -", values: "c g G s w command session-command group supp-group shell whitelist-environment",
		code: "c command session-command"},
	{names: "runuser", flags: "l m p login", values: "u g G c s user group command session-command shell", code: "c command session-command"},
	{names: "pkexec", flags: "disable-internal-agent keep-cwd", values: "user"},
	{names: "setpriv", flags: "clear-groups no-new-privs reset-env", values: "reuid regid groups inh-caps ambient-caps bounding-set"},
	{names: "nice", flags: "0 1 2 3 4 5 6 7 8 9", values: "n adjustment"},
	{names: "ionice", flags: "t ignore", values: "c n class classdata"},
	{names: "chrt", flags: "b f i o r a v batch fifo idle other rr", values: "T P D", skip: 1},
	{names: "taskset", flags: "a c", skip: 1},
	{names: "nohup setsid", flags: "c f w ctty fork wait"},
	{names: "stdbuf", values: "i o e input output error"},
	{names: "timeout gtimeout", flags: "f v p foreground preserve-status verbose", values: "k s kill-after signal", skip: 1},
	{names: "time gtime", flags: "p v a portability verbose append quiet q", values: "f o format output"},
	{names: "unshare", flags: "m u i n p U C T r c f mount uts ipc net pid user cgroup time map-root-user map-current-user fork keep-caps",
		values: "R w S G root wd setuid setgid propagation"},
	{names: "chroot", flags: "skip-chdir", values: "userspec groups", skip: 1},
	{names: "systemd-run", flags: "t P q G user system scope pty pipe quiet wait collect no-block same-dir d", values: "u p E M unit property setenv slice description uid gid working-directory"},
	{names: "caffeinate", flags: "d i m s u", values: "t w"},
	{names: "strace ltrace", flags: "f ff c C q r t T v x y", values: "e o p s u E"},
	{names: "unbuffer fakeroot catchsegv torify torsocks noglob nocorrect dumb-init"},
	{names: "busybox toybox", stop: "list list-full help install"},
	{names: "flock", flags: "s x e n u o F shared exclusive nonblock unlock close no-fork verbose", values: "w E c timeout conflict-exit-code command",
		skip: 1, code: "c command"},
	{names: "watch", kind: wrapText, flags: "b c C d e g p r t x beep color no-color differences errexit chgexit precise no-rerun no-title exec", values: "n q interval equexit"},
	{names: "script", kind: wrapOption, flags: "a e f q append return flush quiet force", values: "c t E I O B o command log-in log-out log-io echo output-limit", code: "c command"},
	{names: "hyperfine", kind: wrapEach, flags: "i N ignore-failure", values: "w r m M p c n warmup runs min-runs max-runs prepare cleanup setup export-json export-markdown command-name shell",
		code: "p c prepare cleanup setup"},
	{names: "direnv exec", skip: 1},
	{names: "ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1"},
	{names: "setarch linux32 linux64 i386 x86_64", flags: "v B F I L R S T X Z 3 h uname-2.6 verbose addr-no-randomize"},
	{names: "chronic rlwrap proxychains proxychains4 tsocks dbus-run-session systemd-inhibit xvfb-run", flags: "v e a q", stop: "help version"},
	{names: "prlimit", flags: "noheadings raw verbose", values: "o p output pid"},
	{names: "valgrind", flags: "v q verbose quiet", values: "tool leak-check log-file"},
	{names: "entr", flags: "a c d n p r s z"},
	{names: "perf watchexec bwrap firejail start-stop-daemon capsh sg", kind: wrapOpaque},
	{names: "dotenv dotenvx conda devbox op", kind: wrapOpaque},

	// Of the shell.
	{names: "sh bash zsh dash ksh ash rbash", kind: wrapShell},
	{names: "command", flags: "p", stop: "v V"},
	{names: "exec", flags: "c l", values: "a"},
	{names: "builtin"},
	{names: "eval", kind: wrapText},
	{names: "trap", kind: wrapFirst, stop: "l p"},
	{names: "repeat", skip: 1},
	{names: "source .", kind: wrapOpaque},
	{names: "bind complete compgen enable hash fc", kind: wrapOpaque},

	// Run a command for each of several things.
	{names: "xargs gxargs", kind: wrapXargs, flags: "0 r t p x o null no-run-if-empty verbose interactive exit open-tty replace eof max-lines",
		values: "a d E I J L n P R s S arg-file delimiter max-args max-procs max-chars process-slot-var", glued: "e i l"},
	{names: "parallel", kind: wrapParallel, flags: "k q u X m 0 null keep-order quote bar dry-run halt-on-error", values: "j a I d n N jobs arg-file delay timeout halt joblog retries"},
	{names: "find gfind", kind: wrapFind},
	{names: "git", kind: wrapGit},

	// Run a program of a package or an environment.
	{names: "npx", flags: "y yes no q quiet no-install ignore-existing", values: "p package c call w workspace", code: "c call"},
	{names: "npm exec", flags: "y yes no", values: "p package c call w workspace", code: "c call"},
	{names: "npm explore", kind: wrapOpaque},
	{names: "npm x", flags: "y yes no", values: "p package c call w workspace", code: "c call"},
	{names: "bunx", flags: "bun", values: "p package"},
	{names: "uvx", flags: "q isolated", values: "p python from with"},
	{names: "pnpm dlx", flags: "s silent", values: "package"},
	{names: "pnpm exec", flags: "r recursive parallel", values: ""},
	{names: "yarn dlx", flags: "q quiet", values: "p package"},
	{names: "yarn exec"},
	{names: "bun x", flags: "bun", values: "p package"},
	{names: "poetry run"},
	{names: "pipenv run"},
	{names: "uv run", flags: "q isolated no-sync frozen locked", values: "p python with extra group project directory env-file"},
	{names: "bundle exec", flags: "keep-file-descriptors"},
	{names: "mise exec"},
	{names: "nix-shell", kind: wrapOption, flags: "pure", values: "p packages run command A attr I", code: "run command"},

	// Run code or commands that are not read here.
	{names: "ssh rsh mosh", kind: wrapOpaque},
	{names: "at batch crontab expect osascript tclsh gdb lldb socat tmux screen", kind: wrapOpaque},
})
