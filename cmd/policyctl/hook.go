package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plangate/plangate"
	"github.com/plangate/plangate/harness"
	"github.com/plangate/plangate/hook"
	"github.com/plangate/plangate/internal/suggest"
	"github.com/plangate/plangate/layers"
	"github.com/plangate/plangate/load"
)

func newHook(w *world) *cobra.Command {
	opts, flags := &hook.Options{}, flag.NewFlagSet("hook", flag.ContinueOnError)
	cmd := &cobra.Command{
		Use:   "hook CLI",
		Short: "Answer the hook of an agent CLI",
		Long: `Reads what an agent CLI tells its hook about a tool call from standard input, decides
it and answers in that CLI's own form: ` + strings.Join(harness.Names(), ", ") + `.

It always answers, before the CLI stops waiting: what cannot be read or decided, and
every failure of its own, is a deny. Where the CLI cannot ask, a call that policy asks
about becomes an approval, and the answer says how to give it; the agent then repeats
the call. Every answer is written to the audit log.

policyctl-hook CLI is the same and starts faster.

Formats: those of the CLIs, see spec/harness.md.
Exit codes: 0 answered, 2 wrong usage (which denies too); for amp 0 allow, 1 ask, 2 deny.`,
		Example: `  policyctl hook claude < call.json
  policyctl hook codex --profile ci --wait 60s`,
		Args: oneHarness,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := opts.Check(); err != nil {
				return err
			}
			return w.hook(args[0], *opts)
		},
	}
	opts.Register(flags)
	cmd.Flags().AddGoFlagSet(flags)
	complete(cmd, "unmatched", string(hook.UnmatchedDecide), string(hook.UnmatchedDefer))
	complete(cmd, "fail", string(hook.FailClosed), string(hook.FailOpen))
	mustComplete(cmd, "layers", completeLayers)
	return cmd
}

func oneHarness(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("which CLI? Give one of %s", strings.Join(harness.Names(), ", "))
	}
	if _, ok := harness.Find(args[0]); !ok {
		return fmt.Errorf("unknown CLI %.64q; want one of %s.%s", args[0], strings.Join(harness.Names(), ", "),
			suggest.DidYouMean(args[0], harness.Names()))
	}
	return nil
}

// hookMemory is from where on, in bytes, a hook collects garbage after all.
const hookMemory = 256 << 20

func (w *world) hook(name string, opts hook.Options) error {
	// A collection takes longer than all else of a hook, which ends long before it needs one.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(hookMemory))
	cli, _ := harness.Find(name) // oneHarness has looked
	output, err := w.hookProgram().Run(cli, opts)
	if err != nil {
		output = cli.Refuse(opts.Event, "The policy gate could not decide this call.")
	}
	return w.answerHook(output)
}

func (w *world) hookProgram() *hook.Program {
	return &hook.Program{
		Stdin: w.stdin, Getenv: w.getenv, Now: w.now, Version: cacheVersion(),
		Warn:  func(text string) { fmt.Fprintf(w.stderr, "policyctl: %s\n", escape(text)) },
		Files: programFiles(), Load: loadForHook, Ask: w.askByApproval,
	}
}

// programFiles are this program and the small one beside it.
func programFiles() []string {
	path, err := os.Executable()
	if err != nil {
		return nil
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return hook.ProgramFiles(filepath.Dir(path))
}

func loadForHook(opts layers.Options, _ []plangate.Call) (hook.Loaded, error) {
	table, diags, found := load.Table(opts)
	return hook.Loaded{Policy: table, Layers: found, Broken: diags.HasErrors()}, nil
}

// answerHook writes an answer. A CLI that cannot read it may still see the exit code.
func (w *world) answerHook(output harness.Output) error {
	if _, err := w.stderr.Write(output.Stderr); err != nil {
		return exit(codeUsage)
	}
	if _, err := w.stdout.Write(output.Stdout); err != nil {
		return exit(codeUsage)
	}
	if w.stdout.Flush() != nil {
		return exit(codeUsage)
	}
	return exit(output.Code)
}
