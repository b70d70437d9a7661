// Command policyctl-hook answers the hook of an agent CLI, as `policyctl hook` does, and
// starts much faster: it has no compiler, no store and no database.
//
// It decides what a cached table decides: a call that is allowed, denied, or asked about
// by the CLI itself. All else is handed to the policyctl beside it: a policy that is not
// cached yet, an expression, an approval. It stays in front of that one, and denies if it
// fails or takes too long.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/hook"
)

func main() { os.Exit(run(os.Args[1:])) }

// hookMemory is from where on, in bytes, a hook collects garbage after all.
const hookMemory = 256 << 20

// codeUsage is what policyctl exits with after wrong usage; it denies too.
const codeUsage = 2

func run(args []string) int {
	debug.SetGCPercent(-1) // a collection takes longer than all else of a hook
	debug.SetMemoryLimit(hookMemory)
	whole := newWhole(args)
	cli, opts, ok := parse(args)
	if !ok {
		return whole.replace()
	}
	var read bytes.Buffer
	program := hook.Program{
		Stdin: io.TeeReader(os.Stdin, &read), Getenv: os.Getenv, Now: time.Now, Version: whole.version(),
		Warn:  func(text string) { fmt.Fprintf(os.Stderr, "policyctl-hook: %+q\n", text) },
		Files: whole.files(), Load: loadCached, Ask: cannotAsk,
	}
	output, err := program.Run(cli, opts)
	if err != nil {
		output = whole.answer(cli, opts, request{&read, output})
	}
	return write(output)
}

// parse reads the command line. It reports false for whatever policyctl has to explain.
func parse(args []string) (harness.Harness, hook.Options, bool) {
	if len(args) == 0 {
		return nil, hook.Options{}, false
	}
	cli, ok := harness.Find(args[0])
	opts, err := hook.Parse(args[1:])
	return cli, opts, ok && err == nil
}

// write gives the answer. A CLI that cannot read it may still see the exit code.
func write(output harness.Output) int {
	if _, err := os.Stderr.Write(output.Stderr); err != nil {
		return codeUsage
	}
	if _, err := os.Stdout.Write(output.Stdout); err != nil {
		return codeUsage
	}
	return output.Code
}
