package install

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Limits of what a [Runner] starts.
const (
	hookLimit = Timeout // no CLI waits longer
	cliLimit  = 30 * time.Second
	maxOutput = 1 << 20
)

// Runner starts hooks and CLIs to examine them. It is safe for concurrent use.
type Runner struct {
	// Environ is the environment to start programs in, as of [os.Environ].
	Environ []string
}

func (r Runner) getenv(name string) string {
	value := ""
	for _, entry := range r.Environ {
		if rest, ok := strings.CutPrefix(entry, name+"="); ok {
			value = rest
		}
	}
	return value
}

// Canary runs an installed entry as the CLI does, for a call that a guard of a temporary
// directory must deny, and returns the reason of the denial. Nothing runs that call.
// The error is [ErrNotDenied] or of the file system.
func (r Runner) Canary(ctx context.Context, h Hook, entry Entry) (reason string, err error) {
	dir, err := h.canaryDir()
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(ctx, hookLimit)
	defer cancel()
	words := r.hookProcess(h, entry)
	if len(words) == 0 {
		return "", fmt.Errorf("%w: the entry's command is not plain", ErrNotDenied)
	}
	payload, env := h.canaryPayload(dir)
	out, err := r.run(ctx, process{words: words, dir: dir, env: env, stdin: payload, socket: h.info.Name == "gemini"})
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w", ErrNotDenied, words[0], err)
	}
	if _, err := os.Lstat(filepath.Join(dir, canaryFile)); err == nil {
		return "", fmt.Errorf("%w: the hook itself ran the call", ErrNotDenied)
	}
	return h.Denies(out.stdout, out.stderr, out.code)
}

// canaryDir makes the directory of the canary call.
func (h Hook) canaryDir() (string, error) {
	dir, err := os.MkdirTemp("", "plangate-canary-")
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if err := os.WriteFile(filepath.Join(dir, "agent.hcl"), []byte(h.canaryPolicy()), 0o600); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// hookProcess returns the words of the process that the CLI starts for an entry.
func (r Runner) hookProcess(h Hook, entry Entry) []string {
	if entry.Line == "" {
		return entry.Command
	}
	switch h.info.Name {
	case "codex": // 0.171.0 starts no login shell, others may, whose profile may say something
		shell := r.getenv("SHELL")
		if shell == "" {
			shell = "/bin/sh"
		}
		return []string{shell, "-lc", entry.Line}
	case "gemini", "copilot":
		return []string{"bash", "-c", entry.Line}
	default:
		return []string{"/bin/sh", "-c", entry.Line}
	}
}

type process struct {
	words []string
	dir   string
	env   []string // added
	stdin []byte
	// socket gives the process a socket as standard input, as Node.js does: bash then reads
	// ~/.bashrc first, unless it was started from a shell.
	socket bool
}

// shellLevel is the variable by which a shell tells others that they were started from one.
const shellLevel = "SHLVL="

// withoutShell returns a runner that was not started from a shell.
func (r Runner) withoutShell() Runner {
	r.Environ = slices.DeleteFunc(slices.Clone(r.Environ), func(entry string) bool { return strings.HasPrefix(entry, shellLevel) })
	return r
}

type output struct {
	stdout, stderr []byte
	code           int
}

// run runs a process to its end. An exit code is no error.
func (r Runner) run(ctx context.Context, p process) (output, error) {
	program, err := r.look(p.words[0])
	if err != nil {
		return output{}, err
	}
	command := exec.CommandContext(ctx, program, p.words[1:]...)
	command.Args[0] = p.words[0]
	command.Dir = p.dir
	command.Env = append(append([]string{}, r.Environ...), p.env...)
	command.Stdin = bytes.NewReader(p.stdin)
	if p.socket {
		socket, err := socketWith(p.stdin)
		if err != nil {
			return output{}, err
		}
		defer func() { _ = socket.Close() }()
		command.Stdin = socket
	}
	command.WaitDelay = time.Second
	var stdout, stderr limited
	command.Stdout, command.Stderr = &stdout, &stderr
	err = command.Run()
	if ctx.Err() != nil {
		return output{}, errors.New("it gave no answer in time")
	}
	if _, ok := errors.AsType[*exec.ExitError](err); ok && command.ProcessState.ExitCode() >= 0 {
		err = nil
	}
	if err != nil {
		return output{}, err
	}
	return output{stdout.Bytes(), stderr.Bytes(), command.ProcessState.ExitCode()}, nil
}

// limited keeps the beginning of what is written to it.
type limited struct{ bytes.Buffer }

// Write implements [io.Writer].
func (l *limited) Write(text []byte) (int, error) {
	l.Buffer.Write(text[:min(len(text), max(0, maxOutput-l.Len()))])
	return len(text), nil
}

// look finds a program in the runner's own path.
func (r Runner) look(name string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		return exec.LookPath(name)
	}
	for _, dir := range filepath.SplitList(r.getenv("PATH")) {
		if !filepath.IsAbs(dir) { // what lies in the current directory is not trusted
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s %w", name, ErrNotFound)
}

// ErrNotFound means that a program is not there.
var ErrNotFound = errors.New("is not in the PATH")

// OwnPath returns the absolute path of this program, by the name it was called if that
// leads here: a link that a package manager keeps outlives the file of one version.
func OwnPath() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	ownInfo, err := os.Stat(own)
	if err != nil {
		return "", err
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		return own, nil //nolint:nilerr // called by a name that leads nowhere
	}
	called, err = filepath.Abs(called)
	if err != nil {
		return own, nil //nolint:nilerr // the same
	}
	if info, err := os.Stat(called); err == nil && os.SameFile(info, ownInfo) {
		return called, nil
	}
	return own, nil
}

// HookProgram returns the absolute path of the program that a hook is to run: that of
// policyctl-hook if it stands beside this one, which starts faster, else of this one.
func HookProgram() (string, error) {
	own, err := OwnPath()
	if err != nil {
		return "", err
	}
	small := filepath.Join(filepath.Dir(own), smallName)
	if info, err := os.Stat(small); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
		return small, nil
	}
	return own, nil
}

// offline keeps a CLI from the network while it is examined.
func offline() []string {
	const nowhere = "http://127.0.0.1:9"
	return []string{
		"HTTP_PROXY=" + nowhere, "HTTPS_PROXY=" + nowhere, "ALL_PROXY=" + nowhere, "http_proxy=" + nowhere, "https_proxy=" + nowhere,
		"all_proxy=" + nowhere, "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "COPILOT_OFFLINE=true",
		"COPILOT_AUTO_UPDATE=false", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "NO_UPDATE_NOTIFIER=1",
	}
}

// Present reports whether the CLI is installed.
func (r Runner) Present(h Hook) bool {
	_, err := r.look(h.info.Program)
	return err == nil
}

var versionNumber = regexp.MustCompile(`\d+\.\d+\.\d+[-+.0-9A-Za-z]*`)

// Version returns what the CLI says is its version.
func (r Runner) Version(ctx context.Context, h Hook) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, cliLimit)
	defer cancel()
	out, err := r.run(ctx, process{words: append([]string{h.info.Program}, h.info.Version...), dir: os.TempDir(), env: offline()})
	if err != nil {
		return "", err
	}
	version := strings.TrimRight(versionNumber.FindString(string(out.stdout)), ".")
	if version == "" {
		return "", fmt.Errorf("%s says no version: %.100q", h.info.Program, out.stdout)
	}
	return version, nil
}

// AmpTest lets Amp's own checker of rules judge the canary call, which runs the installed
// delegate. It returns the reason of the denial.
func (r Runner) AmpTest(ctx context.Context, h Hook) (reason string, err error) {
	dir, err := h.canaryDir()
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(ctx, cliLimit)
	defer cancel()
	out, err := r.run(ctx, process{
		words: []string{h.info.Program, "permissions", "test", "Bash", "--json", "--cmd", canaryCommand(dir)}, dir: dir, env: offline(),
	})
	if err != nil {
		return "", err
	}
	var answer struct{ Action, Error string }
	if err := json.Unmarshal(out.stdout, &answer); err != nil || answer.Action != "reject" {
		return "", fmt.Errorf("%w: amp permissions test says %.300q %.300q", ErrNotDenied, out.stdout, out.stderr)
	}
	return answer.Error, nil
}

// CodexHook is a hook as Codex lists it.
type CodexHook struct {
	Key     string `json:"key"`
	Hash    string `json:"currentHash"`
	Trust   string `json:"trustStatus"` // trusted, untrusted, modified or managed
	Enabled bool   `json:"enabled"`
	Command string `json:"command"`
	Source  string `json:"sourcePath"`
}

// CodexHooks asks `codex app-server` for the hooks that hold in a directory. That needs
// neither a model nor the network.
func (r Runner) CodexHooks(ctx context.Context, h Hook, dir string) ([]CodexHook, error) {
	program, err := r.look(h.info.Program)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, cliLimit)
	defer cancel()
	command := exec.CommandContext(ctx, program, "-c", "check_for_update_on_startup=false", "app-server")
	command.Dir = dir
	command.Env = append(append([]string{}, r.Environ...), offline()...)
	command.WaitDelay = time.Second
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	hooks, err := listHooks(in, out, dir)
	_ = in.Close() // it ends by itself then, with its files in order
	patience := time.AfterFunc(3*time.Second, cancel)
	defer patience.Stop()
	_, _ = io.Copy(io.Discard, out)
	_ = command.Wait() // how it ends does not matter any more
	return hooks, err
}

// listHooks speaks to an app server: JSON-RPC, one message a line.
func listHooks(in io.Writer, out io.Reader, dir string) ([]CodexHook, error) {
	request := `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"policyctl","version":"1"},"capabilities":{"experimentalApi":true}}}
{"method":"initialized"}
{"id":1,"method":"hooks/list","params":{"cwds":[` + string(compact(dir)) + `]}}
`
	if _, err := io.WriteString(in, request); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxOutput)
	for lines.Scan() {
		var answer struct {
			ID     any             `json:"id"`
			Error  json.RawMessage `json:"error"`
			Result struct {
				Data []struct {
					Hooks []CodexHook `json:"hooks"`
				} `json:"data"`
			} `json:"result"`
		}
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			return nil, fmt.Errorf("codex app-server does not speak JSON-RPC: %w", err)
		}
		if answer.Error != nil {
			return nil, fmt.Errorf("codex app-server: %.300s", answer.Error)
		}
		if id, ok := answer.ID.(float64); ok && id == 1 {
			if len(answer.Result.Data) != 1 {
				return nil, fmt.Errorf("codex app-server lists %d directories, want 1", len(answer.Result.Data))
			}
			return answer.Result.Data[0].Hooks, nil
		}
	}
	return nil, errors.Join(errors.New("codex app-server gives no answer"), lines.Err())
}
