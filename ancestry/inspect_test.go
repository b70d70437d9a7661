package ancestry_test

import (
	"errors"
	"testing"

	"github.com/plangate/plangate/ancestry"
)

// tree is a process table in memory. Its processes are listed from the program up, and
// get the PIDs 100, 99, 98… down to the first, which has no parent.
type tree []ancestry.Process

const self = 100

func (t tree) Process(pid int) (ancestry.Process, error) {
	i := self - pid
	if i < 0 || i >= len(t) {
		return ancestry.Process{}, ancestry.ErrGone
	}
	p := t[i]
	p.PID = pid
	if i < len(t)-1 && p.Parent == 0 {
		p.Parent = pid - 1
	}
	return p, nil
}

func run(args ...string) ancestry.Process { return ancestry.Process{Args: args} }

func exe(path string, args ...string) ancestry.Process {
	return ancestry.Process{Exe: path, Args: args}
}

// with changes a process.
func with(p ancestry.Process, change func(*ancestry.Process)) ancestry.Process {
	change(&p)
	return p
}

func sets(p ancestry.Process, names ...string) ancestry.Process {
	return with(p, func(p *ancestry.Process) { p.Variables = names })
}

// on puts a process on a terminal, in the session of a leader.
func on(terminal string, leader int, p ancestry.Process) ancestry.Process {
	return with(p, func(p *ancestry.Process) { p.Terminal, p.Session = terminal, leader })
}

var (
	us    = run("policyctl", "approvals", "allow", "x")
	shell = exe("/usr/bin/bash", "-bash")
	first = exe("/usr/lib/systemd/systemd", "/sbin/init")
)

func TestInspect(t *testing.T) {
	tests := []struct {
		name string
		tree tree
		want ancestry.Kind
		who  string
		pid  int
	}{
		{"person on a console", tree{us, shell, run("login", "--"), first}, ancestry.None, "", 0},
		{"person over ssh", tree{us, on("pts/1", 99, shell), run("sshd: ann@pts/1"), run("sshd: ann [priv]"), first}, ancestry.None, "", 0},
		{"person in tmux", tree{on("pts/1", 99, us), on("pts/1", 99, shell), run("tmux", "new"), first}, ancestry.None, "", 0},
		{"first process of a container", tree{us}, ancestry.None, "", 0},
		{"home of somebody called claude", tree{us, exe("/home/claude/bin/zsh", "/home/claude/bin/zsh"), first}, ancestry.None, "", 0},
		{"an agent's name in an argument", tree{us, run("bash", "-c", "claude"), run("vim", "codex"), run("tail", "-f", "amp"), first}, ancestry.None, "", 0},
		{"configured by a person", tree{sets(us, "CLAUDE_CODE_USE_BEDROCK", "CODEX_HOME", "GEMINI_API_KEY", "SSH_AGENT_PID"), shell}, ancestry.None, "", 0},

		{"native program", tree{us, shell, exe("/usr/local/bin/codex", "codex"), shell, first}, ancestry.Agent, "Codex", 98},
		{"far above", tree{us, shell, shell, shell, shell, run("claude"), shell, first}, ancestry.Agent, "Claude Code", 95},
		{"the nearest counts", tree{us, run("aider"), run("claude"), first}, ancestry.Agent, "aider", 99},
		{"first process of a container is one", tree{us, shell, run("opencode")}, ancestry.Agent, "opencode", 98},
		{"named by its directory", tree{us, exe("/home/ann/.local/share/claude/versions/2.1.7", "x"), first}, ancestry.Agent, "Claude Code", 99},
		{"program was replaced on disk", tree{us, exe("/opt/amp (deleted)", "x"), first}, ancestry.Agent, "Amp", 99},
		{"calls itself otherwise", tree{us, exe("/usr/bin/node", "claude"), first}, ancestry.Agent, "Claude Code", 99},
		{"everything in one argument", tree{us, exe("/usr/bin/node", "gemini --yolo fix"), first}, ancestry.Agent, "Gemini CLI", 99},
		{"script of node", tree{us, exe("/usr/bin/node", "node", "--no-warnings", "/usr/bin/gemini"), first}, ancestry.Agent, "Gemini CLI", 99},
		{"script after a flag with a value", tree{us, exe("/usr/bin/node", "node", "-r", "hook.js", "/usr/bin/codex.js"), first}, ancestry.Agent, "Codex", 99},
		{"package of node", tree{us, exe("/usr/bin/node", "node", "/x/node_modules/@anthropic-ai/claude-code/cli.js"), first}, ancestry.Agent, "Claude Code", 99},
		{"module of python", tree{us, exe("/usr/bin/python3.12", "python3", "-m", "aider"), first}, ancestry.Agent, "aider", 99},
		{"script of a shell", tree{us, exe("/bin/sh", "/bin/sh", "/usr/local/bin/goose"), first}, ancestry.Agent, "goose", 99},
		{"windows name", tree{us, exe(`C:\bin\Cursor.exe`, "x"), first}, ancestry.Agent, "Cursor", 99},
		{"helper of an editor", tree{us, exe("/Applications/Cursor Helper (Plugin)", "x"), first}, ancestry.Agent, "Cursor", 99},

		{"own variable", tree{sets(us, "PATH", "CLAUDECODE"), shell}, ancestry.Variable, "Claude Code", 100},
		{"env -i with a renamed agent", tree{us, run("env", "-i", "policyctl"), sets(shell, "GEMINI_CLI"), run("x"), first}, ancestry.Variable, "Gemini CLI", 98},
		{"variable with an open end", tree{sets(us, "CODEX_SANDBOX_NETWORK_DISABLED"), shell}, ancestry.Variable, "Codex", 100},
		{"variable of any agent", tree{sets(us, "AGENT"), shell}, ancestry.Variable, "an agent", 100},

		{"hook", tree{us, shell, run("/usr/bin/policyctl", "hook", "claude-code"), first}, ancestry.Hook, "", 98},
		{"another command of policyctl", tree{us, run("policyctl", "serve"), first}, ancestry.None, "", 0},

		{"double fork", tree{on("pts/1", 50, us), first}, ancestry.Detached, "", 100},
		{"leader itself", tree{on("pts/1", 100, us), first}, ancestry.None, "", 0},
		{"session of another namespace", tree{on("pts/1", 0, us), first}, ancestry.None, "", 0},
		{"background", tree{with(on("pts/1", 99, us), func(p *ancestry.Process) { p.Group, p.Foreground = 100, 50 }), on("pts/1", 99, shell)}, ancestry.Background, "", 100},
		{"foreground", tree{with(on("pts/1", 99, us), func(p *ancestry.Process) { p.Group, p.Foreground = 100, 100 }), on("pts/1", 99, shell)}, ancestry.None, "", 0},
		{"no terminal has no foreground", tree{with(us, func(p *ancestry.Process) { p.Group, p.Foreground = 100, -1 }), shell}, ancestry.None, "", 0},

		{"setsid script", tree{on("pts/1", 99, us), on("pts/1", 99, shell), run("script", "-qc", "policyctl"), first}, ancestry.FakeTerminal, "", 98},
		{"a renamed script", tree{on("pts/1", 100, us), exe("/usr/bin/socat", "vim"), first}, ancestry.FakeTerminal, "", 99},
		{"program on a command line", tree{on("pts/1", 100, us), exe("/usr/bin/python3", "python3", "-c", "import pty"), first}, ancestry.FakeTerminal, "", 99},
		{"person who records a session", tree{on("pts/2", 99, us), on("pts/2", 99, shell), on("pts/1", 97, run("script")), on("pts/1", 97, shell)}, ancestry.None, "", 0},
		{"terminal written in python", tree{on("pts/1", 99, us), on("pts/1", 99, shell), run("python3", "/usr/bin/terminator"), first}, ancestry.None, "", 0},
		{"ssh runs a shell", tree{on("pts/1", 100, us), run("bash", "-c", "x"), first}, ancestry.None, "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sign, err := ancestry.Inspect(test.tree, self)
			if err != nil {
				t.Fatal(err)
			}
			if sign.Kind != test.want || sign.Agent != test.who || sign.PID != test.pid {
				t.Errorf("got %+v, want %q %q %d", sign, test.want, test.who, test.pid)
			}
			if sign.String() == "" {
				t.Error("the sign says nothing")
			}
		})
	}
}

// changing loses its second process for the first few readings.
type changing struct {
	tree
	misses int
}

func (c *changing) Process(pid int) (ancestry.Process, error) {
	if pid == self-1 && c.misses > 0 {
		c.misses--
		return ancestry.Process{}, ancestry.ErrGone
	}
	return c.tree.Process(pid)
}

func TestInspectUnreadable(t *testing.T) {
	started := func(p ancestry.Process, at uint64) ancestry.Process {
		return with(p, func(p *ancestry.Process) { p.Start = at })
	}
	loop := tree{with(us, func(p *ancestry.Process) { p.Parent = self })}
	tests := []struct {
		name  string
		table ancestry.Table
		pid   int
		want  error
	}{
		{"parent ended once", &changing{tree{us, shell, first}, 1}, self, nil},
		{"parent may not be seen", &changing{tree{us, shell, first}, 1000}, self, ancestry.ErrGone},
		{"parent's number was given away", tree{started(us, 5), started(shell, 6)}, self, ancestry.ErrGone},
		{"parent began at the same time", tree{started(us, 5), started(shell, 5)}, self, nil},
		{"circle", loop, self, ancestry.ErrDepth},
		{"no such process", tree{us}, 7, ancestry.ErrGone},
		{"no process at all", tree{us}, 0, ancestry.ErrGone},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sign, err := ancestry.Inspect(test.table, test.pid)
			if !errors.Is(err, test.want) || sign.Kind != ancestry.None {
				t.Errorf("got %v, %v; want %v", sign, err, test.want)
			}
		})
	}
}
