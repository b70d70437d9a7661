//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A world is all that one run of a CLI sees: an empty home, a new repository, a fake
// model, and the policyctl that its hook runs.
type world struct {
	t         *testing.T
	cli       driver
	dir       string
	home      string
	workspace string
	program   string // the policyctl of this world, a copy that a case may spoil
	model     *model
	prefix    []string // what starts the CLI under an administrator's files, or nil
}

// The files of the workspace. What the guards of policyText deny is named so.
const (
	secretText = "token = e2e-secret-content"
	openText   = "e2e-open-content"
)

// policyPath is where the user's policy is, below the home.
const policyPath = ".config/plangate/agent.hcl"

// policyText is the user's policy in every world.
const policyText = `
policy "reads" {
  match  = { kind = "data_source" }
  action = "allow"
}

policy "agents" {
  match  = { operation = ["spawn_agent", "agent_status"] }
  action = "allow"
}

policy "shell" {
  match   = { operation = "bash" }
  command = ["touch", "cat", "echo", "true", "cd", "ls", "sleep", "ln"]
  action  = "allow"
}

policy "files" {
  match  = { operation = ["write_file", "edit_file", "delete_file", "edit", "apply_patch"] }
  action = "allow"
}

policy "put" {
  match  = { provider = "box", operation = "put" }
  action = "allow"
}

guard "directories" {
  command = ["mkdir"]
  action  = "deny"
  reason  = "e2e-no-directories"
}

guard "links" {
  command = ["ln"]
  action  = "ask"
  reason  = "e2e-links-are-asked-about"
}

guard "locked" {
  path   = ["**/locked*"]
  action = "deny"
  reason = "e2e-locked-file"
}

guard "secrets" {
  path   = ["**/secret.env"]
  action = "deny"
  reason = "e2e-secret-file"
}

guard "wipe" {
  match  = { provider = "box", operation = "wipe" }
  action = "deny"
  reason = "e2e-no-wipe"
}

circuit_breaker {
  consecutive = 0
  denials     = 0
}
`

func newWorld(t *testing.T, cli driver, s func(w *world) script) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{
		t: t, cli: cli, dir: dir, home: filepath.Join(dir, "home"), workspace: filepath.Join(dir, "workspace"),
		program: filepath.Join(dir, "bin", "policyctl"),
	}
	w.put(w.inHome(policyPath), policyText)
	w.put(w.in("open.txt"), openText+"\n")
	w.put(w.in("edit.txt"), "alpha\nbeta\n")
	w.put(w.in("locked.txt"), "alpha\nbeta\n")
	w.put(w.in("secret.env"), secretText+"\n")
	w.mkdir(filepath.Join(w.home, "tmp"))
	w.mkdir(filepath.Dir(w.program))
	link(t, os.Getenv(programEnv), w.program)
	link(t, os.Getenv(programEnv)+smallSuffix, w.small())
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "-A"},
		{"-c", "user.name=e2e", "-c", "user.email=e2e@example.com", "commit", "-qm", "one"},
	} {
		w.must(w.command(context.Background(), "git", args...))
	}
	w.model = startModel(t, s(w))
	return w
}

// smallSuffix makes the name of the program that only answers hooks, which stands beside
// the whole one and is what init installs.
const smallSuffix = "-hook"

func (w *world) small() string { return w.program + smallSuffix }

// link puts a program under another name without the time to copy it. A case that
// spoils the program replaces the link, not its target.
func link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Symlink(from, to); err != nil {
		t.Fatal(err)
	}
}

func (w *world) in(name string) string     { return filepath.Join(w.workspace, name) }
func (w *world) inHome(name string) string { return filepath.Join(w.home, filepath.FromSlash(name)) }

func (w *world) mkdir(dir string) {
	w.t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) put(path, text string) {
	w.t.Helper()
	w.mkdir(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) putJSON(path string, value any) {
	w.t.Helper()
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		w.t.Fatal(err)
	}
	w.put(path, string(data)+"\n")
}

// exists says whether a call left this file of the workspace.
func (w *world) exists(name string) bool {
	_, err := os.Lstat(w.in(name))
	return err == nil
}

func (w *world) text(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.in(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// mcpCommand starts the MCP server, whose files appear in the workspace.
func (w *world) mcpCommand() []string {
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	return []string{self, mcpRole, w.workspace}
}

func (w *world) path() string { return filepath.Dir(w.program) + ":" + os.Getenv("PATH") }

// program is the path of a CLI.
func program(name string) string {
	if name == "git" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(os.Getenv(clisEnv), "node_modules", ".bin", name)
}

// command prepares a program in the workspace with the world's environment, and nothing
// of the tests' own.
func (w *world) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, program(name), args...)
	c.Dir = w.workspace
	c.Env = []string{
		"PATH=" + w.path(), "HOME=" + w.home, "TMPDIR=" + filepath.Join(w.home, "tmp"),
		"LANG=C.UTF-8", "TERM=dumb", "CI=1", "NO_PROXY=*", "no_proxy=*",
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// What a CLI leaves running would keep the pipes open: end its whole group.
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	return c
}

func (w *world) must(c *exec.Cmd) string {
	w.t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", strings.Join(c.Args, " "), err, out)
	}
	return string(out)
}

// ended is how a CLI ended.
type ended struct {
	output   string // both streams
	timedOut bool
	err      error
	took     time.Duration
}

// runLimit is enough for a whole script on a slow machine.
const runLimit = 2 * time.Minute

// run runs the CLI once, to the end of the script.
func (w *world) run() ended {
	w.t.Helper()
	return w.say(mainMarker + " go")
}

// say runs the CLI with a prompt.
func (w *world) say(prompt string) ended {
	w.t.Helper()
	args, env := w.cli.Command(w, prompt)
	ctx, cancel := context.WithTimeout(w.t.Context(), runLimit)
	defer cancel()
	c := w.start(ctx, args)
	c.Env = append(c.Env, env...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	start := time.Now()
	err := c.Run()
	if c.Process != nil {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // most often nothing is left
	}
	result := ended{output: out.String(), err: err, timedOut: ctx.Err() != nil, took: time.Since(start)}
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("%s: %v after %s\n%s\n%s", strings.Join(c.Args, " "), err, result.took, tail(result.output), w.model.seen())
		}
	})
	return result
}

func tail(text string) string {
	const most = 4000
	return text[max(0, len(text)-most):]
}
