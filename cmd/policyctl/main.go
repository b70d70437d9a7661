// Command policyctl checks agent.hcl policies, formats and compiles them,
// decides calls against them and explains the decisions.
//
// It is a thin layer: what it knows is how to read flags and print results.
// Everything else is in the packages of the module, where a library user finds
// it too. Run `policyctl --help` for the commands.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"
)

func main() { os.Exit(realMain(os.Args[1:], surroundings())) }

// world is what a command may touch of its surroundings, apart from files.
type world struct {
	stdin  io.Reader
	stdout *bufio.Writer // flushed at the end
	stderr io.Writer
	typed  bool // stdin is a terminal
	colour bool // stdout is a terminal that wants colour
	getenv func(string) string
	now    func() time.Time
}

func surroundings() *world {
	return &world{
		stdin:  os.Stdin,
		stdout: bufio.NewWriter(os.Stdout),
		stderr: os.Stderr,
		typed:  isTerminal(os.Stdin),
		colour: wantsColour(os.Stdout, os.Getenv),
		getenv: os.Getenv,
		now:    time.Now,
	}
}

// realMain runs one command and returns the exit code. A panic below it is a
// defect of this program: it is told as such and never looks like a finding.
func realMain(args []string, w *world) (code int) {
	defer func() {
		if defect := recover(); defect != nil {
			_ = w.stdout.Flush() // what was printed before; the defect matters more
			fmt.Fprintf(w.stderr, "policyctl: internal error: %s\n%s", escape(fmt.Sprint(defect)), debug.Stack())
			code = codeInternal
		}
	}()
	root := newRoot(w)
	root.SetArgs(longForms(args))
	plainUsage(root, args)
	return w.finish(root.ExecuteC())
}
