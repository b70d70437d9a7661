package decisionhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	maxStderr = 8 << 10 // bytes kept for the error

	// termGrace is how long before the deadline a command is told to end, at most; a
	// tenth of the time that it has if that is less.
	termGrace = 500 * time.Millisecond
	// pipeGrace is how long the pipes may stay open after a command ended. On a busy
	// machine it takes a while until they have been read.
	pipeGrace = 5 * time.Second
)

// CommandOptions are for a command hook. The zero value is fine.
type CommandOptions struct {
	// Dir is where the command runs, an absolute path; "/" if empty, because files of
	// a workspace may be hostile. It wants a program with an absolute path.
	Dir string
	// Env is added to the environment, as NAME=value. Besides it a command gets PATH
	// (absolute directories only), HOME and LANG of this process, PLANGATE_VERSION (that
	// of the questions), PLANGATE_KEY ([Question.Key]) and PLANGATE_DEADLINE, and
	// nothing else: no secrets.
	Env []string
}

type command struct {
	argv []string
	opts CommandOptions
}

// Command returns an asker that runs a program for each question, without a shell: the
// question is its standard input, the answer its standard output. The program is an
// absolute path or a bare name, which is looked up in the absolute directories of PATH at each
// question. Any exit code but 0 is an error, never a denial.
//
// Its process group gets SIGTERM shortly before the deadline (half a second, or a tenth of
// the time) and SIGKILL at the deadline, when ctx is cancelled, when it writes more than
// [MaxAnswerBytes], and after it has ended. The error is about the arguments. Systems
// without process groups of Unix have no command hooks.
func Command(argv []string, opts CommandOptions) (Asker, error) {
	switch {
	case !canRun:
		return nil, errors.New("decisionhook: commands are not supported on this system; use a URL")
	case len(argv) == 0 || argv[0] == "":
		return nil, errors.New("decisionhook: the command is empty; name a program")
	case strings.ContainsRune(strings.Join(argv, "")+strings.Join(opts.Env, "")+opts.Dir, 0):
		return nil, errors.New("decisionhook: the command has a NUL byte in it")
	case !filepath.IsAbs(argv[0]) && (strings.ContainsAny(argv[0], `/\`) || argv[0] == "." || argv[0] == ".."):
		return nil, fmt.Errorf("decisionhook: the program %.200q is relative to a directory; "+
			"give an absolute path or a name that is in PATH", argv[0])
	case opts.Dir != "" && !filepath.IsAbs(opts.Dir):
		return nil, fmt.Errorf("decisionhook: the directory %.200q is not absolute", opts.Dir)
	case opts.Dir != "" && !filepath.IsAbs(argv[0]):
		return nil, errors.New("decisionhook: a command with a directory wants a program with an absolute path")
	}
	return &command{slices.Clone(argv), CommandOptions{opts.Dir, slices.Clone(opts.Env)}}, nil
}

// Ask implements [Asker].
func (c *command) Ask(ctx context.Context, q Question) (Answer, error) {
	question, err := q.encode()
	if err != nil {
		return Answer{}, err
	}
	path := searchPath(os.Getenv("PATH"))
	program, err := lookUp(c.argv[0], path)
	if err != nil {
		return Answer{}, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	output := &bounded{limit: MaxAnswerBytes, over: func() { stop(errTooLong) }}
	errput := &bounded{limit: maxStderr}
	cmd := exec.CommandContext(ctx, program)
	cmd.Args = c.argv
	cmd.Dir = "/"
	if c.opts.Dir != "" {
		cmd.Dir = c.opts.Dir
	}
	cmd.Env = c.environment(path, q)
	cmd.Stdin = bytes.NewReader(question)
	cmd.Stdout, cmd.Stderr = output, errput
	told, ended := runGroup(ctx, cmd)
	if failed := outcome(ctx, ended, told); failed != nil {
		return Answer{}, fmt.Errorf("decisionhook: command %.200q: %w%s", c.argv[0], failed, errput.quoted())
	}
	answer, err := ParseAnswer(output.bytes())
	if ended != nil && err != nil {
		err = fmt.Errorf("%w (something that the command started kept its output open)", err)
	}
	return answer, err
}

// runGroup runs a command in a process group of its own, and ends the group. It reports
// whether the group was told to end because the deadline is near.
func runGroup(ctx context.Context, cmd *exec.Cmd) (told bool, err error) {
	ownGroup(cmd)
	cmd.Cancel = func() error { return signalGroup(cmd.Process.Pid, groupKill) }
	cmd.WaitDelay = pipeGrace
	soon, ended := nearDeadline(ctx)
	defer ended()
	if err := cmd.Start(); err != nil {
		return false, err
	}
	waited := make(chan error, 1)
	go func() { waited <- cmd.Wait() }()
	select {
	case err = <-waited:
	case <-soon.Done():
		told = true
		_ = signalGroup(cmd.Process.Pid, groupTerminate) // one that is gone has ended
		err = <-waited
	}
	_ = signalGroup(cmd.Process.Pid, groupKill) // what it left behind; mostly nothing
	return told, err
}

// nearDeadline returns a context that ends shortly before the deadline of ctx.
func nearDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(context.WithoutCancel(ctx))
	}
	grace := min(termGrace, time.Until(deadline)/10)
	return context.WithDeadline(context.WithoutCancel(ctx), deadline.Add(-grace))
}

// outcome tells what went wrong, or nil. A pipe that something in the background
// holds open is no error: the program itself ended well, and said what it said.
func outcome(ctx context.Context, err error, told bool) error {
	cause := context.Cause(ctx)
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && cause == nil:
		return nil
	case cause != nil:
		return cause
	case told:
		return ErrTimeout
	default:
		return err
	}
}

func (c *command) environment(path string, q Question) []string {
	env := []string{
		"PATH=" + path,
		fmt.Sprintf("PLANGATE_VERSION=%d", Version),
		"PLANGATE_KEY=" + q.Key(),
	}
	if !q.Deadline.IsZero() {
		env = append(env, "PLANGATE_DEADLINE="+deadlineText(q.Deadline))
	}
	for _, name := range [...]string{"HOME", "LANG"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, c.opts.Env...)
}

// searchPath leaves out of PATH what depends on the current directory.
func searchPath(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

func lookUp(name, path string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", fmt.Errorf("decisionhook: the program %.200q is not in PATH: %w", name, fs.ErrNotExist)
}

// bounded keeps what is written up to a limit, and takes the rest without keeping it.
type bounded struct {
	limit int
	over  func() // called when the limit is passed, or nil

	mu   sync.Mutex // what a process left behind may write while we read
	kept []byte
	cut  bool
}

// Write implements [io.Writer]. It never fails.
func (b *bounded) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	take := min(len(text), b.limit-len(b.kept))
	b.kept = append(b.kept, text[:take]...)
	if take < len(text) && !b.cut {
		b.cut = true
		if b.over != nil {
			b.over()
		}
	}
	return len(text), nil
}

func (b *bounded) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kept
}

// quoted returns what was written for an error, or nothing.
func (b *bounded) quoted() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := bytes.TrimSpace(bytes.ToValidUTF8(b.kept, []byte("\ufffd")))
	switch {
	case len(text) == 0:
		return ""
	case b.cut:
		return "; it wrote: " + string(text) + " … (cut)"
	default:
		return "; it wrote: " + string(text)
	}
}
