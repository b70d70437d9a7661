package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/hook"
	"github.com/plangate/plangate/layers"
)

// wholeName is the program that can do everything. It stands beside this one.
const wholeName = "policyctl"

// grace is how much longer than its own limit the other program may take. The clocks of
// the CLIs have more left than that.
const grace = 500 * time.Millisecond

// wholeProgram is policyctl, as it is called in place of this program.
type wholeProgram struct {
	args []string
	dir  string // where this program was started, which its arguments may be relative to
	path string // of policyctl
	err  error  // why that is not known
}

func newWhole(args []string) *wholeProgram {
	w := &wholeProgram{args: args, dir: layers.WorkingDir()}
	self, err := os.Executable()
	if err != nil {
		w.err = err
		return w
	}
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved
	}
	w.path = filepath.Join(filepath.Dir(self), wholeName)
	return w
}

// files are the two programs. Agents must not replace them.
func (w *wholeProgram) files() []string {
	if w.err != nil {
		return nil
	}
	return hook.ProgramFiles(filepath.Dir(w.path))
}

// version is that of the tables which the whole program caches; "" is for no cache.
func (w *wholeProgram) version() string {
	if w.err != nil {
		return ""
	}
	return layers.ProgramVersion(w.path)
}

// request is a call that this program has read and could not decide.
type request struct {
	payload io.Reader
	failure harness.Output // the answer if the whole program fails
}

// answer lets policyctl answer. If that fails, ends otherwise than with an answer or takes
// too long, the answer is the failure.
func (w *wholeProgram) answer(cli harness.Harness, opts hook.Options, req request) harness.Output {
	ctx, cancel := context.WithTimeout(context.Background(), opts.Limit()+grace)
	defer cancel()
	var output harness.Output
	cmd, err := w.command(ctx)
	if err == nil {
		var stdout, stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = req.payload, &stdout, &stderr
		err = cmd.Run()
		output = harness.Output{Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}
	}
	var ended *exec.ExitError
	if errors.As(err, &ended) && isAnswer(cli, ended.ExitCode()) {
		output.Code, err = ended.ExitCode(), nil
	}
	if err != nil {
		note := fmt.Appendf(output.Stderr, "policyctl-hook: %s: %+q\n", wholeName, err.Error())
		output = req.failure
		output.Stderr = append(note, output.Stderr...)
	}
	return output
}

// isAnswer reports whether a CLI is answered by an exit code: most know 0 only.
func isAnswer(cli harness.Harness, code int) bool {
	ask := cli.Answer(harness.Request{Asks: true}, harness.Answer{Verdict: harness.Ask})
	return code == ask.Code || code == cli.Refuse("", "").Code
}

// foreign reports whether a variable could put code of others into a program: a repository
// can set variables for hooks, and the whole program, unlike this one, is linked dynamically.
func foreign(variable string) bool {
	return strings.HasPrefix(variable, "LD_") || strings.HasPrefix(variable, "DYLD_") || strings.HasPrefix(variable, "GODEBUG=")
}

// replace runs policyctl for a command line that this program does not understand.
func (w *wholeProgram) replace() int {
	cmd, err := w.command(context.Background())
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		err = cmd.Run()
	}
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended) && ended.ExitCode() >= 0:
		return ended.ExitCode()
	default:
		fmt.Fprintf(os.Stderr, "policyctl-hook: %s: %+q\n", wholeName, err.Error())
		return codeUsage
	}
}

func (w *wholeProgram) command(ctx context.Context) (*exec.Cmd, error) {
	if w.err != nil {
		return nil, w.err
	}
	cmd := exec.CommandContext(ctx, w.path, append([]string{"hook"}, w.args...)...)
	cmd.Dir, cmd.Env = w.dir, slices.DeleteFunc(os.Environ(), foreign)
	ownGroup(cmd)
	cmd.WaitDelay = grace
	return cmd, nil
}
