package ancestry

import (
	"path"
	"slices"
	"strings"
)

// agent is a program that starts others on behalf of a model.
type agent struct {
	title string
	names []string // of programs, in lower case and without an extension
	paths []string // that occur in the path of the program or of its script
	// sets are the variables that it sets in what it starts. Those by which a person
	// configures it do not belong here: they stand in profiles of shells. A star at
	// the end stands for any rest.
	sets []string
}

// agents are those that are known. Names that other programs have too (agent, q, pi)
// are left out where a path or a variable tells.
var agents = []agent{
	{"Claude Code", []string{"claude", "claude-code"}, []string{"/claude/versions/", "/@anthropic-ai/claude-code"},
		[]string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_REMOTE", "CLAUDE_PID"}},
	{"Codex", []string{"codex", "codex-cli"}, []string{"/@openai/codex"},
		[]string{"CODEX_SANDBOX*", "CODEX_THREAD_ID", "CODEX_CI"}},
	{"Cursor", []string{"cursor", "cursor-agent", "cursor helper*"}, []string{"/cursor-agent/", "/.mount_cursor"},
		[]string{"CURSOR_AGENT", "CURSOR_TRACE_ID"}},
	{"Gemini CLI", []string{"gemini", "gemini-cli"}, []string{"/@google/gemini-cli"}, []string{"GEMINI_CLI"}},
	{"Copilot", []string{"copilot", "copilot-agent", "github-copilot-cli"}, []string{"/@github/copilot"}, []string{"COPILOT_AGENT*"}},
	{"opencode", []string{"opencode"}, []string{"/opencode-ai/", "/.opencode/bin/"}, []string{"OPENCODE", "OPENCODE_PID"}},
	{"Amp", []string{"amp"}, []string{"/@sourcegraph/amp"}, []string{"AMP_CURRENT_THREAD_ID"}},
	{"aider", []string{"aider"}, []string{"/aider/__main__"}, nil},
	{"goose", []string{"goose", "goosed"}, nil, []string{"GOOSE_TERMINAL"}},
	{"Qwen Code", []string{"qwen", "qwen-code"}, []string{"/@qwen-code/"}, []string{"QWEN_CODE"}},
	{"Cline", []string{"cline"}, nil, []string{"CLINE_ACTIVE"}},
	{"Kiro", []string{"kiro", "kiro-cli", "kiro-cli-chat", "qchat"}, nil, nil},
	{"Auggie", []string{"auggie"}, []string{"/@augmentcode/"}, []string{"AUGMENT_AGENT"}},
	{"Antigravity", []string{"antigravity"}, nil, []string{"ANTIGRAVITY_AGENT"}},
	{"Crush", []string{"crush"}, nil, nil},
	{"Droid", []string{"droid"}, nil, nil},
	{"Windsurf", []string{"windsurf"}, nil, nil},
	{"OpenHands", []string{"openhands"}, nil, nil},
	{"an agent", nil, nil, []string{"AI_AGENT", "AGENT"}},
}

// interpreters run a script whose name says more than theirs.
var interpreters = []string{
	"node", "nodejs", "bun", "deno", "python*", "pypy*", "ruby", "perl", "sh", "bash", "dash", "zsh", "env", "tsx", "electron", "uv", "uvx", "pipx",
}

// terminalMakers run another program in a terminal of their making.
var terminalMakers = []string{"script", "scriptlive", "expect", "unbuffer", "socat", "empty", "faketty", "autoexpect"}

// inlineFlags let an interpreter run what stands on its command line.
var inlineFlags = []string{"-c", "-e", "--eval", "-p", "--print"}

// agentOf names the agent that a process is, and what shows it.
func agentOf(process *Process) (title, mark string) {
	for _, program := range programsOf(process) {
		name, slashed := nameOf(program), "/"+strings.ToLower(program)
		for i := range agents {
			known := &agents[i]
			if matches(known.names, name) ||
				slices.ContainsFunc(known.paths, func(part string) bool { return strings.Contains(slashed, part) }) {
				return known.title, program
			}
		}
	}
	return "", ""
}

func agentThatSets(variable string) string {
	for i := range agents {
		if matches(agents[i].sets, variable) {
			return agents[i].title
		}
	}
	return ""
}

// programsOf lists what a process may be named after: its program, what it calls
// itself, and the script that it interprets.
func programsOf(process *Process) []string {
	var programs []string
	if process.Exe != "" {
		programs = append(programs, strings.TrimSuffix(process.Exe, " (deleted)"))
	}
	if len(process.Args) > 0 {
		// A program that names itself may put everything into one argument.
		first, _, _ := strings.Cut(process.Args[0], " ")
		programs = append(programs, process.Args[0], first)
	}
	if slices.ContainsFunc(programs, func(program string) bool { return matches(interpreters, nameOf(program)) }) {
		programs = append(programs, scriptOf(process.Args)...)
	}
	return programs
}

// scriptOf returns what may be the script of an interpreter: the first argument that
// is no flag, and the one after it, because the first may belong to a flag.
func scriptOf(args []string) []string {
	var scripts []string
	for _, arg := range args[min(1, len(args)):] {
		if slices.Contains(inlineFlags, arg) {
			return nil
		}
		if arg == "" || strings.HasPrefix(arg, "-") {
			continue
		}
		if scripts = append(scripts, arg); len(scripts) == 2 {
			break
		}
	}
	return scripts
}

// nameOf returns the name of a program in lower case, without directory, extension
// and the dash of a login shell.
func nameOf(program string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/")))
	name = strings.TrimPrefix(name, "-")
	for _, extension := range []string{".exe", ".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".sh", ".appimage"} {
		if stem, ok := strings.CutSuffix(name, extension); ok && stem != "" {
			return stem
		}
	}
	return name
}

// matches reports whether a name is in a list, whose entries may end in a star.
func matches(list []string, name string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		prefix, open := strings.CutSuffix(entry, "*")
		return name == entry || open && strings.HasPrefix(name, prefix)
	})
}

func isHook(process *Process) bool {
	args := process.Args
	return len(args) > 1 && nameOf(args[0]) == "policyctl" && args[1] == "hook"
}

// makesTerminals reports whether a process is one of those that exist to make a
// terminal, or a one-line program, which would be an odd way to write a terminal for
// people.
func makesTerminals(process *Process) bool {
	if len(process.Args) == 0 {
		return false
	}
	for _, program := range []string{process.Exe, process.Args[0]} {
		if matches(terminalMakers, nameOf(program)) {
			return true
		}
	}
	isShell := matches([]string{"sh", "bash", "dash", "zsh"}, nameOf(process.Args[0]))
	inline := slices.ContainsFunc(process.Args[1:], func(arg string) bool { return slices.Contains(inlineFlags, arg) })
	return !isShell && inline && matches(interpreters, nameOf(process.Args[0]))
}
